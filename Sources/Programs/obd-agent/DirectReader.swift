// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import ELM327
import OBD2
import Session

/// Reads a vehicle once, through an adapter or a CAN interface.
final class DirectReader {
    private let bus: any VehicleBus
    private let clock: any MonotonicClock
    private let custom: [String: CustomParameter]
    private var machine: SessionAgenda?

    /// The report of the start-up.
    var report: AdapterReport? { self.bus.report }
    private(set) var samples: [Sample] = []
    private(set) var codes: CodeReading?
    private(set) var monitors: [ECUAddress: MonitorStatus] = [:]
    private(set) var tests: MonitorReading?

    /// - Parameter custom: the custom parameters that may be read.
    init(_ way: Session.Way, clock: any MonotonicClock, custom: [CustomParameter]) {
        self.custom = Dictionary(custom.map { ($0.name, $0) }) { first, _ in first }
        self.bus = way.bus(clock)
        self.clock = clock
    }

    var identity: VehicleIdentity? { self.machine?.identity }

    /// Opens the way to the vehicle, starts an adapter up, and finds the vehicle.
    ///
    /// - Parameter search: the requests to try first if no ECU answers the standard ones.
    func connect(
        bus: BusProtocol?,
        _ search: SearchRequests? = nil,
        progress: (StartUp.Phase) -> Void
    ) async throws {
        let requests = (search?.busRequests ?? []) + SearchRequests(self.custom.values, searched: nil).busRequests
        _ = try await self.bus.open()
        let report = try await self.bus.startUp(bus: bus, requests: requests, wakes: false) { phase, _ in
            progress(phase)
        }
        try await self.bus.finishStartUp()
        self.machine = SessionAgenda(report, selection: Selection(intervals: [:]), custom: self.custom)
    }

    /// Closes the way to the vehicle.
    func close() { self.bus.close(keepsSettings: false) }

    /// Reads identity and codes, and these parameters.
    ///
    /// Nil reads all that the vehicle supports.
    func read(_ keys: [ParameterKey]?) async throws {
        try await self.run { if case .errand(.information) = $0 { true } else { false } }
        guard let identity = self.machine?.identity else { return }
        if keys == nil && identity.dialect == .j1939 {
            // A vehicle on J1939 broadcasts: what it supports is what it sends.
            for group in ParameterGroup.all {
                Console.progress("listening for \(group.title)")
                try await self.ask(.poll(.group(group.pgn)))
            }
            return try await self.run { _ in false }
        }
        let supported = Set(identity.ecus.values.flatMap(\.supported.pids)).filter { !Self.isShownOtherwise($0) }
        let wanted = keys ?? supported.map { .pid(identity.pid(of: $0)) } + self.custom.keys.map { .custom($0) }
        self.machine?.select(
            Selection(intervals: Dictionary(wanted.map { ($0, .seconds(86_400)) }) { first, _ in first })
        )
        try await self.run { _ in false }
        let frames = self.custom.values.filter { $0.frame != nil && wanted.contains(.custom($0.name)) }
        guard self.bus.hearsFrames, !frames.isEmpty else { return }
        Console.progress("listening for \(frames.count.counted("value")) in frames")
        let deadline = self.clock.now + HeardValues.timeout
        self.samples += try await self.bus.listen(for: frames, until: deadline, clock: self.clock).samples
    }

    /// Requests the engine speed repeatedly, and returns the time of each answer.
    func measureRequests(_ count: Int) async throws -> [Duration] {
        guard let identity = self.machine?.identity,
            let request = identity.busRequest(.poll(identity.dialect == .j1939 ? .group(0xF004) : .pid(0x0C)))
        else { throw SessionError.notConnected }
        var times: [Duration] = []
        times.reserveCapacity(count)
        var start = self.clock.now
        for _ in 0..<count {
            let result = try await self.bus.ask(request, on: identity.bus)
            guard case .answered = result.outcome else { throw SessionError.vehicleSilent }
            let end = self.clock.now
            times.append(end - start)
            start = end
        }
        return times
    }

    /// Returns the adapter's reply to a command that changes nothing.
    func reply(to command: AdapterCommand) async throws -> [String] {
        try await self.bus.reply(to: command)
    }

    /// Whether the vehicle answers the requests that test an adapter.
    var canTryAdapter: Bool { self.identity.flatMap { ProbedVehicle($0) } != nil }

    /// Tests each capability of the adapter.
    func tryAdapter() async throws {
        guard let report = self.report, let identity = self.identity, let vehicle = ProbedVehicle(identity) else {
            throw SessionError.notConnected
        }
        var probe = CapabilityProbe(report, vehicle)
        while let capability = probe.next {
            Console.progress("trying \(capability.title)")
            try await self.bus.perform(&probe)
        }
    }

    /// Reads codes and freeze frames only.
    func readCodes() async throws {
        try await self.run { if case .errand(.information) = $0 { true } else { false } }
        guard self.machine?.lastReading == nil else { return }
        // The freeze frames are read when nothing else is due.
        self.machine?.readCodes()
        try await self.run { if case .errand(.information) = $0 { true } else { false } }
    }

    /// Reads readiness and the results of the tests.
    func readMonitors() async throws {
        // A vehicle without a VIN is identified by its information, which comes before the rest.
        func isRest(_ question: SessionAgenda.Question) -> Bool {
            if case .errand(.information) = question { self.machine?.isIdentified ?? true } else { false }
        }
        try await self.run(until: isRest)
        self.machine?.readMonitors()
        try await self.run(until: isRest)
    }

    /// Reads the ECUs' information about themselves.
    func readInformation() async throws {
        try await self.run { if case .errand(.freezeFrame) = $0 { true } else { false } }
    }

    /// Sends a manufacturer's request that the vehicle need not answer, and returns its outcome.
    ///
    /// However many of them are not answered, the vehicle does not count as silent.
    func outcome(of request: CustomRequest) async throws -> BusOutcome {
        guard let identity = self.identity, let busRequest = identity.busRequest(.poll(.custom(request))) else {
            return .noData
        }
        let outcome = try await self.bus.ask(busRequest, on: identity.bus).outcome
        switch outcome {
        case .adapterSilent: throw SessionError.adapterSilent
        case .adapterRestarted: throw SessionError.adapterRestarted
        case .settingsNotRestored: throw SessionError.settingsNotRestored
        case .answered, .noData, .busUnavailable, .unusable, .refused, .withdrawn: return outcome
        }
    }

    /// Reads the signs of whether the vehicle is in use: its speeds, and the configured parameters with the role `ready`.
    func readUse() async throws -> VehicleUse {
        var use = VehicleUse()
        use.engineSpeed = try await self.highestValue(of: 0x0C)
        use.vehicleSpeed = try await self.highestValue(of: 0x0D)
        let requests = Set(self.custom.values.filter { $0.role == .ready }.compactMap(\.request))
        let count = self.samples.count
        for request in requests { try await self.ask(.poll(.custom(request))) }
        for sample in self.samples.dropFirst(count) where sample.value.field.role == .ready {
            guard let isReady = sample.value.field.truth(of: sample.value.value) else { continue }
            let name = sample.value.field.name
            use.ready[name] = isReady || use.ready[name] ?? false
        }
        return use
    }

    /// Returns the highest value that an ECU reports for a PID; nil if none reports it.
    private func highestValue(of pid: PID) async throws -> Double? {
        guard let identity = self.identity, identity.supports(pid),
            case .answered(let answers) = try await self.ask(.poll(.pid(pid)))
        else { return nil }
        let messages = answers.values.compactMap { if case .positive(let messages) = $0 { messages } else { nil } }
        return HighestValue(of: pid, in: messages, identity.dialect).number
    }

    /// Waits, and sends nothing meanwhile.
    func pause(for duration: Duration) async throws {
        let end = self.clock.now + duration
        while self.clock.now < end { try await self.bus.idle(until: end) }
    }

    /// Asks the vehicle until no question is due, or `stop` returns true for the next question.
    private func run(until stop: (SessionAgenda.Question) -> Bool) async throws {
        while case .ask(let question) = self.machine?.next(at: self.clock.now), !stop(question) {
            if case .poll(let item) = question {
                Console.progress("reading \(item)")
            }
            try await self.ask(question)
        }
    }

    @discardableResult
    private func ask(_ question: SessionAgenda.Question) async throws -> BusOutcome {
        guard let machine = self.machine else { return .noData }
        let result = try await self.bus.ask(question, of: machine)
        switch self.machine?.answered(question, result, at: self.clock.now) {
        case .proceed(let events): events.forEach(self.receive)
        case .startOver(let error, _): throw error
        case nil: break
        }
        return result.outcome
    }

    private func receive(_ event: SessionEvent) {
        switch event {
        case .samples(let samples): self.samples += samples
        case .codes(let codes): self.codes = codes
        case .monitors(let monitors): self.monitors = monitors
        case .refused(let line, _): Console.progress("the adapter refuses \(line)")
        case .unscaled(let pid, _): Console.progress("PID \(pid) is not answered, so some values have no scale")
        case .silent(let destination, _): Console.progress("the ECU at \(destination.header) answers no request")
        case .tests(let reading): self.tests = reading
        case .link, .identified, .unexpected, .selected, .dropped, .adapter, .parking: break
        }
    }

    /// Whether a PID is shown in another way: bitmaps, and PID 01 as the monitors.
    private static func isShownOtherwise(_ pid: PID) -> Bool { pid.isBitmap || pid == 0x01 }
}
