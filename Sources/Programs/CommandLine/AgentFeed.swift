// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract
import EventLoop
import Subscriber

/// The feed of this machine's agent, with an open connection.
package struct AgentFeed {
    /// The time limit for the agent's first line.
    private static let greetingTimeout = Duration.seconds(5)
    /// The interval at which a follower is informed of the time.
    private static let tickInterval = Duration.milliseconds(100)

    /// The path of the socket.
    private let path: String
    /// The agent, and the place of its topics when the connection was made.
    package let greeting: FeedGreeting
    private let socket: LocalSocket
    private let following: FeedFollowing
    /// The progress that came with the greeting.
    private let begun: [FeedFollowing.Progress]

    /// Connects to the first of these sockets that an agent serves, and reads its greeting.
    ///
    /// - Returns: nil if no agent serves any of them.
    package static func find(_ paths: [String]) async throws -> AgentFeed? {
        var failure: CommandFailure?
        for path in paths {
            let socket: LocalSocket
            do throws(LocalSocketProblem) {
                socket = try LocalSocket.connect(to: path)
            } catch .absent {
                continue
            } catch {
                failure = failure ?? Self.failure(error, at: path)
                continue
            }
            return try await AgentFeed(socket, at: path)
        }
        if let failure { throw failure }
        return nil
    }

    private init(_ socket: LocalSocket, at path: String) async throws {
        let clock = BootClock()
        let deadline = clock.now + Self.greetingTimeout
        let waiter = Waiter()
        var following = FeedFollowing()
        var greeting: FeedGreeting?
        var begun: [FeedFollowing.Progress] = []
        following.connected(at: clock.now)
        while greeting == nil {
            let isReady = await socket.wait(for: .readable, until: deadline, waiter) == .ready
            guard clock.now < deadline else { throw Self.failure("it says nothing", at: path) }
            guard isReady else { throw CancellationError() }
            guard let bytes = socket.receive() else { throw Self.failure(following.closed(at: clock.now), at: path) }
            for action in following.received(bytes, at: clock.now) {
                switch action {
                case .report(let progress):
                    if case .greeted(let first) = progress { greeting = greeting ?? first }
                    begun.append(progress)
                case .close: throw Self.failure(following.closed(at: clock.now), at: path)
                }
            }
        }
        guard let greeting else { throw CancellationError() }
        (self.path, self.greeting, self.socket) = (path, greeting, socket)
        (self.following, self.begun) = (following, begun)
    }

    // MARK: - Following

    /// Follows the feed until the deadline, or until `stop` returns; connects again after each loss.
    ///
    /// - Parameters:
    ///   - stop: called once.
    ///   - tick: called ten times a second, with or without a connection.
    ///   - body: called with all that comes.
    func follow(
        until deadline: MonotonicTime?,
        or stop: @escaping @Sendable () async -> Void,
        tick: (MonotonicTime) throws -> Void,
        _ body: (FeedFollowing.Progress) throws -> Void
    ) async throws {
        let (waiter, isStopped) = (Waiter(), Locked(false))
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await stop()
                isStopped.withLock { $0 = true }
                waiter.notify()
            }
            let clock = BootClock()
            var (following, open) = (self.following, Optional(self.socket))
            var nextTick = clock.now
            for progress in self.begun { try body(progress) }
            while !isStopped.withLock({ $0 }) {
                try Task.checkCancellation()
                let now = clock.now
                if now >= nextTick {
                    try tick(now)
                    nextTick = now + Self.tickInterval
                    if let deadline, now >= deadline { return }
                }
                if let retryAt = following.retryAt, now >= retryAt {
                    do throws(LocalSocketProblem) {
                        open = try LocalSocket.connect(to: self.path)
                        following.connected(at: now)
                    } catch {
                        try body(.lost(following.notConnected(because: "\(error)", at: now)))
                    }
                }
                if following.timePassed(at: now) == .close {
                    open = nil
                    try body(.lost(following.closed(at: now)))
                }
                guard let socket = open else {
                    _ = await EventLoop.shared.wait(until: nextTick, waiter)
                    continue
                }
                guard await socket.wait(for: .readable, until: nextTick, waiter) == .ready else { continue }
                guard let bytes = socket.receive() else {
                    open = nil
                    try body(.lost(following.closed(at: clock.now)))
                    continue
                }
                for action in following.received(bytes, at: clock.now) {
                    switch action {
                    case .report(let progress): try body(progress)
                    case .close:
                        open = nil
                        try body(.lost(following.closed(at: clock.now)))
                    }
                }
            }
        }
    }

    // MARK: - Errors

    private static func failure(_ problem: LocalSocketProblem, at path: String) -> CommandFailure {
        guard problem == .forbidden else { return Self.failure("\(problem)", at: path) }
        return CommandFailure(
            .noPermission,
            "this user may not read from the agent at \(path): \(problem)",
            next: """
                sudo obd-agent watch. Or join the agent's group, and log in again: sudo usermod -aG obd-agent $USER. Or \
                --broker, --username and --password-file, for the agent's broker.
                """
        )
    }

    private static func failure(_ reason: String, at path: String) -> CommandFailure {
        CommandFailure(
            .unavailable,
            "nothing can be read from the agent at \(path): \(reason)",
            next: "again in a minute; systemctl status obd-agent; or --broker, for the agent's broker."
        )
    }
}
