// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import ELM327
import Logging
import OBD2
import Base

// What the parking of the vehicle asks of the session.
extension Session {
    /// What the adapter is connected for.
    enum Contact: Hashable, Sendable {
        /// To read the voltage.
        case look
        case probe(Parking.Reason)
        /// To a vehicle that is in use.
        case reconnection
    }

    /// How long to wait between two readings of a look.
    private static let readingPause = Duration.milliseconds(500)

    /// Whether the vehicle is in use, and how its battery is.
    package var parkingReport: ParkingReport { self.parking.report }

    /// Whether the bus of a vehicle is left alone.
    package var isParked: Bool { self.parking.isAtRest }

    func tell(_ state: LinkState) {
        // While the vehicle rests every look comes to the same.
        guard state != self.toldLink || !self.parking.isAtRest else { return }
        self.toldLink = state
        self.emit(.link(state))
    }

    func tellParking() {
        let report = self.parking.report
        guard report != self.toldParking else { return }
        self.toldParking = report
        self.emit(.parking(report))
    }

    /// Says once why the vehicle is left alone, or not asked for a moment.
    func tellRest(_ error: SessionError) {
        switch error {
        case .parked, .standing:
            if case .waiting(let told, _) = self.toldLink, told.outlastsParking { return }
            self.tell(.parked)
        // Who has never seen the vehicle wants to know why.
        case _ where error.isSilence && self.parking.isParked && self.knownBus != nil: self.tell(.parked)
        default:
            if self.toldLink != .waiting(error, .zero) { self.logger.notice("No session: \(error)") }
            self.tell(.waiting(error, .zero))
        }
    }

    // MARK: - Looking

    /// Why the bus is to be asked; nil where it is in use.
    ///
    /// - Throws: `.parked` where it is left alone.
    func reason(
        for contact: Contact,
        _ conversation: AdapterConversation
    ) async throws(SessionError) -> Parking.Reason? {
        switch contact {
        case .reconnection: return nil
        case .probe(let reason): return reason
        case .look:
            guard let reason = try await self.look(conversation) else { throw .parked }
            self.tell(.connecting)
            return reason
        }
    }

    /// Reads the voltage, which touches no bus.
    ///
    /// - Returns: why the bus may be asked nevertheless; nil where it is left alone.
    private func look(_ conversation: AdapterConversation) async throws(SessionError) -> Parking.Reason? {
        // The first bytes to an adapter that sleeps are lost.
        guard case .reply = try await conversation.tell(AdapterCommand.identification[0]) else { throw .adapterSilent }
        self.isAsleep = false
        if case .probe = self.parking.reached(at: self.clock.now, isQuiet: self.isQuiet()) { return .appearance }
        var readings: [Double] = []
        while true {
            for _ in 0..<SupplyWatch.readings {
                guard case .reply(let lines) = try await conversation.tell(AdapterCommand.voltage) else {
                    throw .adapterSilent
                }
                guard let volts = AdapterCommand.voltage(in: lines) else { break }
                readings.append(volts)
                try await conversation.idle(until: self.clock.now + Self.readingPause)
            }
            switch self.parking.looked(readings, at: self.clock.now, isQuiet: self.isQuiet()) {
            case .leave: return nil
            case .probe(let reason): return reason
            case .readMore: if !readings.count.isMultiple(of: SupplyWatch.readings) { return nil }
            }
        }
    }

    /// The adapter is up, and its voltage is known: the bus is next.
    func mayAsk(_ report: AdapterReport) throws(SessionError) {
        self.isAsleep = false
        let mayAsk = self.parking.began(report.voltage, at: self.clock.now, isQuiet: self.isQuiet())
        // Before the bus is asked, so that whoever is killed meanwhile has spent it.
        self.keepProbes()
        guard mayAsk else {
            guard self.parking.ignition.supply.forbids, let volts = report.voltage else { throw .parked }
            throw .lowVoltage(volts)
        }
    }

    /// Has what was spent remembered.
    private func keepProbes() {
        guard self.parking.probes != self.keptProbes else { return }
        self.keptProbes = self.parking.probes
        self.rememberProbes(self.keptProbes)
    }

    /// Sends an adapter to sleep that will not be used for a while, if it comes back from there.
    func sleepAdapter() async {
        if self.isAsleep { self.mustStayAwake = true }
        self.isAsleep = false
        guard self.parking.sleepsAdapter, !self.mustStayAwake, let conversation = self.conversation else { return }
        for command in AdapterCommand.sleep(firmware: self.firmware) {
            guard let outcome = try? await conversation.tell(command), case .reply(let lines) = outcome,
                lines.contains(where: { $0.contains("OK") })
            else { return }
        }
        self.isAsleep = true
    }

    // MARK: - The ignition

    /// Asks for the speeds and the voltage where nobody else does.
    ///
    /// - Returns: whether anything was asked.
    func watchIgnition(_ conversation: AdapterConversation) async throws(SessionError) -> Bool {
        guard let machine = self.machine, machine.isReady, machine.urgent.isEmpty, !machine.isInDoubt else {
            return false
        }
        let now = self.clock.now
        if self.hasVoltage, self.parking.wantsVoltage(at: now) {
            let outcome = try await conversation.tell(AdapterCommand.voltage)
            if case .silence(prompted: false) = outcome { throw .adapterSilent }
            let volts =
                if case .reply(let lines) = outcome { AdapterCommand.voltage(in: lines) } else { nil as Double? }
            self.parking.measured(volts, at: self.clock.now)
            if let volts { self.machine?.identityWatch.measured(volts) }
            self.tellParking()
            return true
        }
        var hasAsked = false
        for (isEngine, item) in self.speeds where self.parking.wantsSpeed(ofEngine: isEngine, at: now) {
            try await self.ask(.poll(item), conversation)
            hasAsked = true
        }
        return hasAsked
    }

    /// What tells whether the vehicle is in use: the engine's speed, and its own.
    private var speeds: [(isEngine: Bool, item: PollItem)] {
        [(true, PID(rawValue: 0x0C)), (false, 0x0D)].compactMap { isEngine, pid in
            self.machine?.item(for: .pid(pid)).map { (isEngine, $0) }
        }
    }

    /// Takes from samples what they tell of the ignition.
    func watch(_ samples: [Sample]) {
        for sample in samples {
            guard case .number(let value) = sample.value.value else { continue }
            switch sample.value.field.name {
            case "engine_speed": _ = self.parking.heard(.engine(value), at: sample.time)
            case "vehicle_speed": _ = self.parking.heard(.vehicle(value), at: sample.time)
            default: continue
            }
        }
        self.keepProbes()
        self.tellParking()
    }

    /// A parked vehicle that answers and does not run is left alone, unless somebody wants more.
    func proveMotion(_ reason: Parking.Reason?, _ conversation: AdapterConversation) async throws(SessionError) {
        guard let reason, reason.wantsMotion, self.wakers.isEmpty else { return }
        for (_, item) in self.speeds {
            guard let machine = self.machine else { throw .notConnected }
            let result = try await conversation.ask(.poll(item), of: machine)
            guard case .proceed(let events) = self.machine?.answered(.poll(item), result, at: self.clock.now) else {
                continue
            }
            // Nobody knows yet whose they are, so they are not told.
            for case .samples(let samples) in events { self.watch(samples) }
        }
        if self.parking.ignition.state != .running { throw .standing }
    }

    /// What the parking has to know of the end of a session, or of an attempt.
    func kind(of error: SessionError) -> Parking.End {
        switch error {
        case .startUp(.noVehicle): .silent(self.conversation?.report?.voltage)
        case .vehicleSilent: .silent(nil)
        // What is not ours is left alone as if it were parked.
        case .standing, .vehicleUnexpected: .standing
        case .lowVoltage: .lowVoltage
        case .parked: .rest
        case .link where self.conversation == nil: .unreachable
        default: .broken
        }
    }

    // MARK: - Waking

    /// Holds a vehicle for so long, at most a quarter of an hour, and wakes one that is parked.
    ///
    /// - Throws: `.lowVoltage`, `.noProbeLeft`, `.busy`, or why it does not answer.
    package func wake(for duration: Duration) async throws(SessionError) {
        guard self.wakers.count < Self.queueLimit else { throw .busy }
        let action = self.parking.wake(for: duration, at: self.clock.now, isQuiet: self.isQuiet())
        self.keepProbes()
        switch action {
        case .held: self.link?.wake()
        case .tooLow(let volts): throw .lowVoltage(volts)
        case .noProbeLeft: throw .noProbeLeft
        case .probe:
            self.timer.interrupt()
            let result = await withCheckedContinuation { self.wakers.append($0) }
            try result.get()
        }
    }

    /// A session, or an attempt, ended.
    func answerWakers(toldBy error: SessionError) {
        // Who came while a look was ending has the next contact for himself.
        guard !self.parking.isWaking else { return }
        let supply = self.parking.ignition.supply
        self.answerWakers(.failure(supply.forbids ? .lowVoltage(supply.voltage ?? 0) : error))
    }

    func answerWakers(_ result: Result<Void, SessionError>) {
        let wakers = self.wakers
        self.wakers = []
        for waker in wakers { waker.resume(returning: result) }
    }
}
