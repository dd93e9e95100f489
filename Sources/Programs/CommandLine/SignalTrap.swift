// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import UnixSignals

/// Ends the process at SIGINT or SIGTERM, after it has released what it holds, such as an adapter.
///
/// Once trapped, the signals do nothing by themselves any more, so the trap stays until the process ends.
package enum SignalTrap {
    /// The time to release what is held, in microseconds; then the process ends anyway.
    private static let grace: UInt32 = 1_500_000
    /// The time for other threads to send what the release has asked of them, in microseconds.
    private static let pause: UInt32 = 200_000

    private struct State {
        var isSet = false
        var release: (@Sendable () -> Void)?
        /// The first signal that came.
        var number: Int32?
    }

    private static let state = Locked(State())

    /// Runs `body`; a signal meanwhile calls `release`, and the process ends as soon as `body` has ended.
    ///
    /// - Parameter release: makes `body` end soon; called once at most, on any thread.
    package static func holding<Success>(
        release: @escaping @Sendable () -> Void,
        _ body: () async throws -> Success
    ) async rethrows -> Success {
        await Self.set()
        let number = Self.state.withLock { state in
            state.release = release
            return state.number
        }
        if let number { Self.end(number) }
        defer {
            let number = Self.state.withLock { state in
                state.release = nil
                return state.number
            }
            if let number {
                usleep(Self.pause)
                Self.end(number)
            }
        }
        return try await body()
    }

    private static func set() async {
        let isFirst = Self.state.withLock { state in
            defer { state.isSet = true }
            return !state.isSet
        }
        guard isFirst else { return }
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        Task.detached {
            for await signal in signals { Self.receive(signal == .sigint ? SIGINT : SIGTERM) }
        }
    }

    private static func receive(_ number: Int32) {
        let release = Self.state.withLock { state in
            // A second signal does not wait.
            guard state.number == nil else { return nil as (@Sendable () -> Void)? }
            state.number = number
            return state.release
        }
        guard let release else { Self.end(number) }
        Thread.start(named: "end") {
            usleep(Self.grace)
            Self.end(number)
        }
        release()
    }

    /// Ends the process with the status that a shell reports for the signal.
    private static func end(_ number: Int32) -> Never { _exit(128 + number) }
}
