// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import Base
internal import EventLoop

/// A link to a simulated adapter in this process.
///
/// The caller provides the clock.
package final class SimulatedLink: AdapterLink {
    private struct State {
        var adapter: LinkedAdapter
        var isInterruptPending = false
        var isClosed = false
        /// The continuation of the waiting read.
        var waiter: CheckedContinuation<Void, Never>?
    }

    package let address: String
    /// The vehicle of the adapter.
    package let vehicle: SharedVehicle
    private let clock: any MonotonicClock
    private let state: Locked<State>

    package init(
        vehicle: SharedVehicle,
        adapter: SimulatedAdapter = SimulatedAdapter(),
        clock: any MonotonicClock,
        address: String = "simulator"
    ) {
        self.vehicle = vehicle
        self.clock = clock
        self.address = address
        self.state = Locked(State(adapter: LinkedAdapter(adapter)))
    }

    /// The adapter as the next link finds it, if it has power until then.
    package var adapterAfterLoss: SimulatedAdapter { self.state.withLock { $0.adapter.adapterAfterLoss } }

    /// Injects `fault` into the next `count` requests.
    package func inject(_ fault: InjectedFault, requests count: Int = 1) {
        self.state.withLock { $0.adapter.inject(fault, requests: count) }
    }

    /// Drops the faults that have not occurred yet.
    package func clearFaults() {
        self.state.withLock { $0.adapter.clearFaults() }
    }

    package func write(_ bytes: [UInt8]) async throws(LinkError) {
        let now = self.clock.now
        let error = self.state.withLock { state -> LinkError? in
            if let error = Self.error(state) { return error }
            self.vehicle.withVehicle { state.adapter.bytesReceived(bytes, at: now, in: &$0) }
            return nil
        }
        if let error { throw error }
    }

    package func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        while true {
            let now = self.clock.now
            let (input, next) = try self.nextInput(at: now, until: deadline)
            if let input { return input }
            await self.wait(until: next)
            if Task.isCancelled { throw .closed }
        }
    }

    package func interruptRead() {
        self.resumeRead { $0.isInterruptPending = true }
    }

    package func close() {
        self.resumeRead { $0.isClosed = true }
    }

    /// Returns the input with which a read ends now, or nil and the time of the next attempt.
    private func nextInput(
        at now: MonotonicTime,
        until deadline: MonotonicTime
    ) throws(LinkError) -> (LinkInput?, MonotonicTime) {
        let result = self.state.withLock { state -> Result<(LinkInput?, MonotonicTime), LinkError> in
            if let error = Self.error(state) { return .failure(error) }
            if state.isInterruptPending {
                state.isInterruptPending = false
                return .success((.interrupted, now))
            }
            let bytes = state.adapter.output(at: now)
            if !bytes.isEmpty { return .success((.bytes(bytes), now)) }
            if now >= deadline { return .success((.deadline, now)) }
            return .success((nil, state.adapter.nextOutput.map { min($0, deadline) } ?? deadline))
        }
        return try result.get()
    }

    private static func error(_ state: State) -> LinkError? {
        if state.isClosed { return .closed }
        return state.adapter.isDisconnected ? .lost("the simulated adapter was unplugged") : nil
    }

    /// Waits until `time` of the clock, or until ``interruptRead()`` or ``close()``.
    private func wait(until time: MonotonicTime) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.clock.sleep(until: time) }
            group.addTask { await self.waitForInterrupt() }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForInterrupt() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayWait = self.state.withLock { state in
                    guard !state.isInterruptPending, !state.isClosed, !Task.isCancelled else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mayWait { continuation.resume() }
            }
        } onCancel: {
            self.resumeRead { _ in }
        }
    }

    /// Applies a change, and resumes the waiting read.
    ///
    /// The read is resumed after the lock is released. Cancellation holds the task's own lock and then takes this lock;
    /// resuming takes the task's own lock. So resuming while this lock is held could deadlock.
    private func resumeRead(_ change: (inout State) -> Void) {
        let waiter = self.state.withLock { state in
            change(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
