// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a wait ended.
package enum WaitResult: Hashable, Sendable {
    /// The file descriptor is ready. The result may be spurious, so a caller that finds nothing waits again.
    case ready
    /// The deadline passed.
    case deadline
    /// ``Waiter/notify()`` was called.
    case notified
}

/// The point at which one task waits for the event loop.
///
/// A ``notify()`` without a waiting task is kept for the next wait, so that none is lost.
package final class Waiter: Sendable {
    private enum State {
        case idle(isNotified: Bool)
        case waiting(number: UInt64, CheckedContinuation<WaitResult, Never>)
    }

    private let state = Locked(State.idle(isNotified: false))

    package init() {}

    /// Ends the present wait, or the next one at once.
    package func notify() {
        let waiting = self.state.withLock { state -> CheckedContinuation<WaitResult, Never>? in
            guard case .waiting(_, let continuation) = state else {
                state = .idle(isNotified: true)
                return nil
            }
            state = .idle(isNotified: false)
            return continuation
        }
        waiting?.resume(returning: .notified)
    }

    /// Waits; calls `arm` once this task can be resumed.
    ///
    /// - Parameter number: the unique number of this wait.
    func wait(number: UInt64, arm: () -> Void) async -> WaitResult {
        await withCheckedContinuation { continuation in
            let isNotified = self.state.withLock { state in
                switch state {
                case .idle(isNotified: true):
                    state = .idle(isNotified: false)
                    return true
                case .idle(isNotified: false):
                    state = .waiting(number: number, continuation)
                    return false
                case .waiting:
                    preconditionFailure("two tasks wait on one Waiter")
                }
            }
            if isNotified { continuation.resume(returning: .notified) } else { arm() }
        }
    }

    /// Ends the wait `number` with a result of the event loop.
    ///
    /// A late result is ignored: that wait is over, and another may be in progress.
    func finish(_ result: WaitResult, number: UInt64) {
        let waiting = self.state.withLock { state -> CheckedContinuation<WaitResult, Never>? in
            guard case .waiting(number, let continuation) = state else { return nil }
            state = .idle(isNotified: false)
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
