// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
package import ELM327
package import Timing

/// Performs what the machines of `ELM327` say, over one link.
package final class AdapterConversation {
    private let link: any AdapterLink
    private let clock: any MonotonicClock
    private var dialogue = Dialogue()

    package init(_ link: any AdapterLink, clock: any MonotonicClock) {
        self.link = link
        self.clock = clock
    }

    /// Brings the adapter up and finds a vehicle behind it.
    ///
    /// - Parameter progress: told whenever something else is going on.
    package func startUp(
        bus: BusProtocol?,
        progress: (StartUp.Phase) -> Void
    ) async throws(SessionError) -> AdapterReport {
        var startUp = StartUp(bus: bus)
        var step = startUp.begin()
        var phase: StartUp.Phase?
        while true {
            if phase != startUp.phase {
                phase = startUp.phase
                progress(startUp.phase)
            }
            switch step {
            case .send(let command): step = startUp.performed(try await self.perform(command))
            case .finished(let report): return report
            case .failed(let error): throw .startUp(error)
            }
        }
    }

    /// Asks the vehicle.
    package func ask(_ request: BusRequest, on bus: BusProtocol) async throws(SessionError) -> BusResult {
        var exchange = Exchange(request, on: bus)
        var step = exchange.begin()
        while true {
            switch step {
            case .send(let command): step = exchange.performed(try await self.perform(command))
            case .resynchronise:
                if case .wait(let quiet) = self.dialogue.resynchronise() { _ = try await self.receive(for: quiet) }
                step = exchange.performed()
            case .pause(let duration):
                try await self.pause(duration)
                step = exchange.performed()
            case .finished(let result): return result
            }
        }
    }

    /// Sends a command and waits for its reply.
    package func perform(_ command: Command) async throws(SessionError) -> CommandOutcome {
        guard case .send(let bytes, let timeout) = self.dialogue.submit(command) else { throw .adapterSilent }
        try await self.write(bytes)
        return try await self.receive(for: timeout)
    }

    private func receive(for timeout: Duration) async throws(SessionError) -> CommandOutcome {
        var deadline = self.clock.now + timeout
        while true {
            switch try await self.read(until: deadline) {
            case .bytes(let bytes):
                switch self.dialogue.received(bytes) {
                case .wait: continue
                case .extend(let duration): deadline = self.clock.now + duration
                case .deliver(let outcome): return outcome
                case .close: throw .adapterSilent
                }
            case .deadline:
                switch self.dialogue.timedOut() {
                case .send(let bytes, let timeout):
                    try await self.write(bytes)
                    deadline = self.clock.now + timeout
                case .wait(let duration): deadline = self.clock.now + duration
                case .deliver(let outcome): return outcome
                case .none: throw .adapterSilent
                }
            case .woken:
                // Whoever woke us is served between two requests, unless everything is to end.
                if Task.isCancelled { throw .link(.closed) }
            }
        }
    }

    private func pause(_ duration: Duration) async throws(SessionError) {
        let deadline = self.clock.now + duration
        while self.clock.now < deadline {
            if Task.isCancelled { throw .link(.closed) }
            _ = try await self.read(until: deadline)
        }
    }

    private func read(until deadline: MonotonicTime) async throws(SessionError) -> LinkInput {
        do { return try await self.link.read(until: deadline) } catch { throw .link(error) }
    }

    private func write(_ bytes: [UInt8]) async throws(SessionError) {
        do { try await self.link.write(bytes) } catch { throw .link(error) }
    }
}
