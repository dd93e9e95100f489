// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// A request to stop, which is made once and stays.
final class StopRequest: Sendable {
    private struct State {
        var isMade = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
    }

    private let state = Locked(State())

    /// Makes the request.
    func make() {
        let waiting = self.state.withLock { state in
            state.isMade = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until the request is made or the task is cancelled.
    func wait() async {
        let id = self.state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    // A cancellation from here on finds the continuation.
                    guard !state.isMade, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }

    /// Runs `body`, and cancels it when the request is made.
    ///
    /// - Parameter prepare: runs between the request and the cancellation.
    func cancelling(
        after prepare: @escaping @Sendable () async -> Void = {},
        _ body: @escaping @Sendable () async -> Void
    ) async {
        await withTaskGroup { group in
            group.addTask { await body() }
            group.addTask {
                await self.wait()
                await prepare()
            }
            await group.next()
            group.cancelAll()
        }
    }
}
