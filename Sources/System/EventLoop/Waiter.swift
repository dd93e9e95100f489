// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a wait ended.
package enum WaitResult: Hashable, Sendable {
    /// The file descriptor is ready. The result may be spurious, so a caller that finds nothing waits again.
    case ready
    /// The deadline passed.
    case deadline
    /// ``Waiter/wake()`` was called.
    case woken
}

/// The point at which one task waits for the event loop.
///
/// A ``wake()`` without a waiting task is kept for the next wait, so that no wake-up is lost.
package final class Waiter: Sendable {
    private enum State {
        case idle(woken: Bool)
        case waiting(number: UInt64, CheckedContinuation<WaitResult, Never>)
    }

    private let state = Locked(State.idle(woken: false))

    package init() {}

    /// Ends the present wait, or the next one at once.
    package func wake() {
        let waiting = self.state.withLock { state -> CheckedContinuation<WaitResult, Never>? in
            guard case .waiting(_, let continuation) = state else {
                state = .idle(woken: true)
                return nil
            }
            state = .idle(woken: false)
            return continuation
        }
        waiting?.resume(returning: .woken)
    }

    /// Waits; calls `arm` once this task can be resumed.
    ///
    /// - Parameter number: the unique number of this wait.
    func wait(number: UInt64, arm: () -> Void) async -> WaitResult {
        await withCheckedContinuation { continuation in
            let isWoken = self.state.withLock { state in
                switch state {
                case .idle(woken: true):
                    state = .idle(woken: false)
                    return true
                case .idle(woken: false):
                    state = .waiting(number: number, continuation)
                    return false
                case .waiting:
                    preconditionFailure("two tasks wait on one Waiter")
                }
            }
            if isWoken { continuation.resume(returning: .woken) } else { arm() }
        }
    }

    /// Ends the wait `number` with a result of the event loop.
    ///
    /// A late result is ignored: that wait is over, and another may be in progress.
    func finish(_ result: WaitResult, number: UInt64) {
        let waiting = self.state.withLock { state -> CheckedContinuation<WaitResult, Never>? in
            guard case .waiting(number, let continuation) = state else { return nil }
            state = .idle(woken: false)
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
