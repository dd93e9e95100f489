// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import ELM327
import OBD2
import Session
import Timing

/// One look at a vehicle: everything asked once.
final class VehicleReader {
    private let conversation: AdapterConversation
    private let clock: any MonotonicClock
    private var machine: SessionStateMachine?

    /// What start-up found.
    private(set) var report: AdapterReport?
    private(set) var samples: [Sample] = []
    private(set) var codes: CodeReading?
    private(set) var monitors: [ECUAddress: MonitorStatus] = [:]

    init(_ link: any AdapterLink, clock: any MonotonicClock) {
        self.conversation = AdapterConversation(link, clock: clock)
        self.clock = clock
    }

    var identity: VehicleIdentity? { self.machine?.identity }

    /// Brings the adapter up.
    func connect(bus: BusProtocol?, progress: (StartUp.Phase) -> Void) async throws {
        let report = try await self.conversation.startUp(bus: bus, progress: progress)
        self.report = report
        self.machine = SessionStateMachine(report, selection: Selection(intervals: [:]))
    }

    /// Reads identity and codes, and these parameters; nil reads all that the vehicle supports.
    func read(_ pids: [PID]?) async throws {
        try await self.run { if case .errand(.ecuName) = $0 { true } else { false } }
        guard let identity = self.machine?.identity else { return }
        let wanted = pids ?? Set(identity.ecus.values.flatMap(\.supported.pids)).filter { !Self.isRead($0) }.sorted()
        self.machine?.select(
            Selection(intervals: Dictionary(wanted.map { ($0, .seconds(86_400)) }) { first, _ in first })
        )
        try await self.run { _ in false }
    }

    /// Asks for the engine speed, and tells how long the answer took.
    func measureRequest() async throws -> Duration {
        guard let identity = self.machine?.identity else { throw SessionError.notConnected }
        let request = BusRequest(.currentData(0x0C), layout: identity.layout)
        let start = self.clock.now
        let result = try await self.conversation.ask(request, on: identity.bus)
        guard case .answered = result.outcome else { throw SessionError.vehicleSilent }
        return self.clock.now - start
    }

    /// Reads identity and codes only.
    func readCodes() async throws {
        try await self.run { if case .errand(.ecuName) = $0 { true } else { false } }
    }

    /// Asks until nothing is due, or `stop` says that the next question is one too many.
    private func run(until stop: (SessionStateMachine.Question) -> Bool) async throws {
        while case .ask(let question) = self.machine?.next(at: self.clock.now), !stop(question),
            let identity = self.machine?.identity
        {
            if case .poll(let pid) = question {
                Console.progress("reading \(Parameter.withPID(pid)?.name ?? "\(pid)")")
            }
            let request = BusRequest(question.request, layout: identity.layout)
            let result = try await self.conversation.ask(request, on: identity.bus)
            switch self.machine?.answered(question, result, at: self.clock.now) {
            case .proceed(let events): events.forEach(self.take)
            case .startOver(let error, _): throw error
            case nil: return
            }
        }
    }

    private func take(_ event: SessionEvent) {
        switch event {
        case .samples(let samples): self.samples += samples
        case .codes(let codes): self.codes = codes
        case .monitors(let monitors): self.monitors = monitors
        case .link, .identified, .selected, .dropped: break
        }
    }

    /// What is shown in another way: bitmaps, and PID 01 as the monitors.
    private static func isRead(_ pid: PID) -> Bool { pid.isBitmap || pid == 0x01 }
}
