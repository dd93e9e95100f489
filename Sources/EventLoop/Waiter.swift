// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Synchronization

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
        case waiting(CheckedContinuation<WaitResult, Never>)
    }

    private let state = Mutex(State.idle(woken: false))

    package init() {}

    /// Ends the present wait, or the next one at once.
    package func wake() {
        self.resume(.woken) { $0 = .idle(woken: true) }
    }

    /// Waits; `arm` is called once this task can be resumed.
    func wait(arm: () -> Void) async -> WaitResult {
        await withCheckedContinuation { continuation in
            let isWoken = self.state.withLock { state in
                if case .idle(woken: true) = state {
                    state = .idle(woken: false)
                    return true
                }
                state = .waiting(continuation)
                return false
            }
            if isWoken { continuation.resume(returning: .woken) } else { arm() }
        }
    }

    /// The event loop's word.
    ///
    /// Ignored when nobody waits.
    func finish(_ result: WaitResult) {
        self.resume(result) { _ in }
    }

    private func resume(_ result: WaitResult, otherwise: (inout State) -> Void) {
        let waiting = self.state.withLock { state -> CheckedContinuation<WaitResult, Never>? in
            guard case .waiting(let continuation) = state else {
                otherwise(&state)
                return nil
            }
            state = .idle(woken: false)
            return continuation
        }
        waiting?.resume(returning: result)
    }
}
