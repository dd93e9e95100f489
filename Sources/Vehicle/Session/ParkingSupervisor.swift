// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking

/// Applies the rules of `Parking`: reads the voltage, persists the spent probes, and answers the command `wake`.
final class ParkingSupervisor {
    typealias WakeRequest = CheckedContinuation<Result<Void, SessionError>, Never>

    /// The largest number of callers that may wait for the vehicle to wake up.
    private static let wakeRequestLimit = 16
    /// The pause between two voltage readings in a row.
    private static let readingPause = Duration.milliseconds(500)

    private(set) var rules: Parking
    private let settings: ParkingSettings
    private let clock: any MonotonicClock
    private let events: SessionEvents
    /// The supply voltage that ECUs report: it changes in a resting vehicle too.
    private static let supplyName = "control_module_voltage"
    private var persistedProbes: ProbeRecord
    /// The requests on the bus since the start, by the ignition at the time.
    private(set) var requests: [IgnitionState: Int] = [:]
    /// The requests over the present link that are counted, and the ignition since then.
    private var counted = (requests: 0, ignition: IgnitionState.unknown)
    /// The last values of this contact, by name and ECU.
    private var values: [String: DecodedValue] = [:]
    /// The callers that wait for a parked vehicle to answer.
    private var wakeRequests: [WakeRequest] = []

    init(_ settings: ParkingSettings, clock: any MonotonicClock, events: SessionEvents) {
        self.rules = Parking(settings.policy, probes: settings.probes)
        self.settings = settings
        self.clock = clock
        self.events = events
        self.persistedProbes = settings.probes
    }

    var isAtRest: Bool { self.rules.isAtRest }

    func reportParking() { self.events.report(self.rules.report) }
    func report(_ state: LinkState) { self.events.report(state, isAtRest: self.isAtRest) }

    // MARK: - Without a session

    func next() -> Parking.NextAction { self.rules.next(at: self.clock.now, isQuiet: self.settings.isQuiet()) }

    /// Reads the voltage, which does not touch the bus, or listens to the bus.
    ///
    /// - Returns: the reason to use the bus nevertheless; nil if there is none.
    func readVoltage(_ bus: any VehicleBus) async throws(SessionError) -> ProbeReason? {
        if let hasTraffic = try await bus.observeTraffic() {
            let isQuiet = self.settings.isQuiet()
            return self.rules.trafficObserved(hasTraffic, at: self.clock.now, isQuiet: isQuiet)
        }
        try await bus.reach()
        switch self.rules.adapterReached(at: self.clock.now, isQuiet: self.settings.isQuiet()) {
        case .probe: return .appearance
        case .proceed: break
        }
        var readings: [Double] = []
        while true {
            for _ in 0..<SupplyWatch.readingCount {
                let reading = try await bus.supplyVoltage()
                if reading == .unanswered { throw .adapterSilent }
                guard case .volts(let volts) = reading else { break }
                readings.append(volts)
                try await bus.idle(until: self.clock.now + Self.readingPause)
            }
            switch self.rules.restingVoltageRead(readings, at: self.clock.now, isQuiet: self.settings.isQuiet()) {
            case .leave: return nil
            case .probe(let reason): return reason
            case .readMore: if !readings.count.isMultiple(of: SupplyWatch.readingCount) { return nil }
            }
        }
    }

    /// Requests the bus once the adapter is up.
    ///
    /// A probe is spent here.
    ///
    /// - Throws: `.lowVoltage` or `.parked` if the bus must not be used.
    func requestBus(voltage: Double?) throws(SessionError) {
        let isAllowed = self.rules.adapterStarted(
            voltage: voltage,
            at: self.clock.now,
            isQuiet: self.settings.isQuiet()
        )
        // The probe is persisted before the bus is used, so that it counts even if the process is killed meanwhile.
        self.persistProbes()
        guard isAllowed else {
            guard self.rules.ignition.supply.forbidsBus, let voltage else { throw .parked }
            throw .lowVoltage(voltage)
        }
    }

    /// Counts the requests since the last call.
    func countRequests(of bus: any VehicleBus) {
        let new = bus.requestCount - self.counted.requests
        if new > 0 { self.requests[self.counted.ignition, default: 0] += new }
        self.counted = (bus.requestCount, self.rules.ignition.state)
    }

    private func persistProbes() {
        guard self.rules.probes != self.persistedProbes else { return }
        self.persistedProbes = self.rules.probes
        self.settings.persistProbes(self.persistedProbes)
    }

    // MARK: - In a session

    func vehicleConnected() { self.rules.vehicleConnected(at: self.clock.now) }

    /// Checks the permission to use the bus before a request.
    ///
    /// - Parameter isHeld: whether a hold by a command suspends the polling.
    func check(isHeld: Bool) throws(SessionError) {
        switch self.rules.check(at: self.clock.now, isHeld: isHeld) {
        case .proceed: return
        case .leave: throw .parked
        }
    }

    /// Returns the signs that are due, and records that they are requested.
    func takeDueSigns(at now: MonotonicTime, of signs: some Sequence<UseSign.Source>) -> [UseSign.Source] {
        var due = signs.filter { self.rules.isSignDue($0, at: now) }
        // In a charge they are read together, so that one settings proof serves them all.
        if !due.isEmpty, self.rules.isLimited { due = Array(signs) }
        for source in due { self.rules.signRequested(source, at: now) }
        return due
    }

    /// Takes over a voltage reading of a session; nil: the adapter did not answer.
    func voltageRead(_ volts: Double?) {
        self.rules.voltageRead(volts, at: self.clock.now)
        self.reportParking()
    }

    /// Takes over the signs of use among the samples, and the changes of values.
    func samplesReceived(_ samples: [Sample]) {
        for sample in samples {
            let name = sample.value.field.name
            if let sign = sample.value.sign {
                self.rules.signReceived(sign, from: name, at: sample.time)
            } else if name != Self.supplyName,
                self.values.updateValue(sample.value.value, forKey: "\(name)/\(sample.ecu)") != sample.value.value
            {
                self.rules.valueChanged(at: sample.time)
            }
        }
        self.persistProbes()
        self.reportParking()
    }

    /// Notes whether the vehicle has a value that shows a drive, and whether it may drive off without its engine.
    func vehicleMapped(hasSignOfDriving: Bool, drivesElectrically: Bool) {
        self.rules.vehicleMapped(hasSignOfDriving: hasSignOfDriving, drivesElectrically: drivesElectrically)
    }

    /// Notes that a vehicle answers that has no value which shows a drive.
    func answersWithoutSigns() { self.rules.valueChanged(at: self.clock.now) }

    // MARK: - The end

    /// - Parameter bus: the bus, which is not open if it could not be opened.
    func contactEnded(_ error: SessionError, _ bus: any VehicleBus) {
        let end: ContactEnd =
            switch error {
            case .startUp(.noVehicle): .vehicleSilent(bus.report?.voltage)
            case .vehicleSilent, .busAsleep: .vehicleSilent(nil)
            // An unexpected vehicle is treated as a parked one.
            case .standing, .vehicleUnexpected: .standing
            case .lowVoltage: .voltageTooLow
            case .parked: .stillParked
            case .link where !bus.isOpen: .adapterUnreachable
            case .vehicleChanged: .vehicleChanged
            default: .failed
            }
        self.values = [:]
        if bus.isOpen { self.countRequests(of: bus) }
        if error == .busAsleep { self.rules.silenceObserved() }
        self.rules.contactEnded(end, at: self.clock.now)
        self.counted = (0, self.rules.ignition.state)
    }

    /// Reports once the reason for which the bus is not used, for a moment or for longer.
    ///
    /// - Parameter isKnown: whether a vehicle has answered before.
    func reportRest(_ error: SessionError, isKnown: Bool) {
        let isParked = self.rules.isParked
        self.events.reportRest(error, isParked: isParked, isKnown: isKnown, isAtRest: self.isAtRest)
    }

    // MARK: - The command wake

    var hasWakeRequests: Bool { !self.wakeRequests.isEmpty }

    /// Holds a vehicle in use, or has a parked one probed.
    ///
    /// - Returns: whether the vehicle is in use. If not, the caller waits by ``append(_:)``.
    /// - Throws: `.lowVoltage`, `.noProbeLeft`, or `.busy`.
    func wake(for duration: Duration) throws(SessionError) -> Bool {
        guard self.wakeRequests.count < Self.wakeRequestLimit else { throw .busy }
        let action = self.rules.wakeRequested(
            for: duration,
            at: self.clock.now,
            isQuiet: self.settings.isQuiet()
        )
        self.persistProbes()
        switch action {
        case .held: return true
        case .tooLow(let volts): throw .lowVoltage(volts)
        case .noProbeLeft: throw .noProbeLeft
        case .probe: return false
        }
    }

    func append(_ request: WakeRequest) { self.wakeRequests.append(request) }

    /// Answers the callers after the end of a contact.
    ///
    /// A caller that arrived while a voltage reading ended waits for the next contact.
    func failWakeRequests(_ error: SessionError) {
        guard !self.rules.isWakePending else { return }
        let supply = self.rules.ignition.supply
        self.answerWakeRequests(.failure(supply.forbidsBus ? .lowVoltage(supply.voltage ?? 0) : error))
    }

    func answerWakeRequests(_ result: Result<Void, SessionError>) {
        let requests = self.wakeRequests
        self.wakeRequests = []
        for request in requests { request.resume(returning: result) }
    }
}
