// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Why a wait ended.
package enum WaitResult: Hashable, Sendable {
    /// The file descriptor is ready, or it may be: a spurious one is possible, so try and wait again.
    case ready
    /// The deadline passed.
    case deadline
    /// Somebody called ``Waiter/wake()``.
    case woken
}

/// The place where one task waits for the event loop.
///
/// A ``wake()`` that comes while nobody waits is kept for the next wait, so that none is lost.
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

    /// Waits; `arm` is called once this task can be resumed.
    ///
    /// - Parameter number: of this wait, and of no other.
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
                    preconditionFailure("two tasks wait in one place")
                }
            }
            if isWoken { continuation.resume(returning: .woken) } else { arm() }
        }
    }

    /// The event loop's word about the wait `number`.
    ///
    /// It may come late: then that wait is over, and another may be on.
    func finish(_ result: WaitResult, number: UInt64) {
        let waiting = self.state.withLock { state -> CheckedContinuation<WaitResult, Never>? in
            guard case .waiting(number, let continuation) = state else { return nil }
            state = .idle(woken: false)
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
