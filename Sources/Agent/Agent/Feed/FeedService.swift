// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Logging
import Uplink

/// Serves the feed to programs on this machine, over a socket.
///
/// Nothing that a reader does delays the agent: each has a bounded queue and a writer that never blocks, and new
/// connections are accepted at a limited rate.
struct FeedService: Service {
    /// The number of connections that are accepted at once, and the interval of those after them.
    private static let burst = 16
    private static let interval = Duration.milliseconds(500)

    /// The path of the socket.
    let path: String
    let uplink: Uplink
    let logger: Logger
    /// The clock of the machine: sockets know no other.
    private let clock = BootClock()

    init(path: String, uplink: Uplink, logger: Logger) {
        self.path = path
        self.uplink = uplink
        self.logger = logger
    }

    func run(until stop: StopRequest) async {
        let listener: LocalListener
        do throws(LocalSocketProblem) {
            listener = try LocalListener(at: self.path)
        } catch {
            self.logger.warning(
                "The socket \(self.path) cannot be made, so obd-agent watch needs a broker: \(error)"
            )
            await stop.wait()
            return
        }
        let end = FeedStop(on: self.clock)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.serve(listener, until: end)
                return true
            }
            group.addTask {
                await stop.wait()
                end.begin()
                return false
            }
            // A server that has ended needs no stop. One that is stopped has time for its last lines.
            if await group.next() == true { group.cancelAll() }
        }
    }

    /// Serves those who connect until `stop` begins or the task is cancelled.
    func serve(_ listener: LocalListener, until stop: FeedStop) async {
        let notices = FeedNotices(self.logger, at: self.clock.now)
        await withDiscardingTaskGroup { group in
            var rate = TokenBucket(capacity: Self.burst, interval: Self.interval, at: self.clock.now)
            while let socket = await listener.accept(stop.waiter) {
                group.addTask { await self.serve(socket, until: stop, notices) }
                if rate.take(at: self.clock.now) == nil {
                    _ = await EventLoop.shared.wait(until: self.clock.now + Self.interval, stop.waiter)
                }
                if stop.hasBegun { break }
            }
            await self.uplink.closeFeed()
        }
    }

    private func serve(_ socket: LocalSocket, until stop: FeedStop, _ notices: FeedNotices) async {
        let waiter = Waiter()
        switch await self.uplink.addReader(waking: { waiter.notify() }) {
        case .refuse(let reason): _ = socket.send(FeedLine.end(reason).bytes[...])
        case .serve(let id):
            let uplink = self.uplink
            let writer = FeedWriter(
                socket: socket,
                waiter: waiter,
                stop: stop,
                clock: self.clock,
                take: { await uplink.takeFeed(for: id) },
                stalled: { await uplink.readerStalled(id) }
            )
            let ending = await writer.run()
            await self.uplink.removeReader(id)
            if ending == .dropped { notices.readerDropped(at: self.clock.now) }
        }
    }
}

/// The end of the feed, and the time that is left then.
final class FeedStop: Sendable {
    /// The time for the last lines.
    private static let limit = Duration.seconds(1)

    /// Wakes the task that accepts readers.
    let waiter = Waiter()
    private let clock: BootClock
    private let time = Locked<MonotonicTime?>(nil)

    init(on clock: BootClock) {
        self.clock = clock
    }

    var hasBegun: Bool { self.deadline != nil }
    /// The time by which each reader must have the last line; nil until the end begins.
    var deadline: MonotonicTime? { self.time.withLock { $0 } }

    func begin() {
        self.time.withLock { $0 = self.clock.now + Self.limit }
        self.waiter.notify()
    }
}

/// The lines of the log about readers: few, whatever readers do.
final class FeedNotices: Sendable {
    private let logger: Logger
    private let rate: Locked<TokenBucket>

    init(_ logger: Logger, at now: MonotonicTime) {
        self.logger = logger
        self.rate = Locked(TokenBucket(capacity: 3, interval: .seconds(3600), at: now))
    }

    /// A reader that did not read fast enough was dropped.
    func readerDropped(at now: MonotonicTime) {
        guard let unreported = self.rate.withLock({ $0.take(at: now) }) else { return }
        self.logger.notice(
            "A program that reads from the agent's socket was dropped, because it read too slowly",
            metadata: ["unreported": "\(unreported)"]
        )
    }
}
