// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327
package import OBD2

/// A driving vehicle whose state depends on seed and time only, not on the requests before.
///
/// The vehicle drives a trip through the gears, stops the engine for a pause, and begins the next trip. Only codes and
/// counters that service 04 clears, and the changes of the caller, are stored.
package struct SimulatedVehicle: Sendable {
    /// The properties of the vehicle.
    package struct Options: Sendable {
        /// The powertrain and the ECUs.
        package var model = VehicleModel.combustion
        package var seed: UInt64 = 1
        /// The time for which the engine runs in each round.
        package var trip = Duration.seconds(600)
        /// The time after a trip with the engine off and the ignition on.
        package var pause = Duration.seconds(60)
        /// The time after a pause for which the vehicle is parked: the ignition is off and no ECU answers.
        package var parking = Duration.zero
        /// The time for which a vehicle with a plug charges in each round.
        package var charge = Duration.seconds(300)
        /// The state of charge in % that the drives of a round use and its charges give back.
        ///
        /// With nil, the distance determines it.
        package var chargeUse: Double?
        /// The phases of each round.
        ///
        /// With nil, ``trip``, ``pause``, ``parking`` and ``charge`` determine them.
        package var phases: [VehiclePhase]?
        package var bus = BusProtocol.can11at500
        package var vin = "ZZZSMVLATR4700893"
        /// The confirmed codes.
        ///
        /// They switch the MIL on.
        package var codes: [DTC] = []
        package var pendingCodes: [DTC] = []
        package var permanentCodes: [DTC] = []
        /// The number of ECUs, 1 to 3: of the engine, the transmission and the brakes.
        package var ecus = 2
        /// The time that the engine's ECU takes to answer (SAE J1979, P2).
        ///
        /// Each further ECU takes 8 ms more.
        package var responseTime = Duration.milliseconds(10)
        /// The least time between two frames of a message.
        package var separation = Duration.milliseconds(1)
        /// The limit on the PIDs of one request, and the reaction of the ECUs to more.
        package var pidLimit = PIDLimit.silence(above: 6)
        /// The permanent faults of the ECUs, by service.
        package var serviceFaults: [ECU: [Service: ServiceFault]] = [:]
        /// Whether the engine's ECU supports service 08.
        package var supportsControl = false
        /// The data of PIDs 4F and 50 of the engine's ECU, which set the full scales of its values.
        ///
        /// The ECU supports those of the two PIDs that have data.
        package var maxima: [PID: [UInt8]] = [:]
        /// The parameters of the engine's ECU that are not those of the combustion model; nil for those of the model.
        package var enginePIDs: [PID]?
        /// The dialect of the ECUs on CAN: SAE J1979 or J1979-2.
        package var dialect = Dialect.j1979
        /// The features of the ECUs of J1979-2.
        package var part2 = Part2Features()
        /// The codes on J1939: active and previously active ones, and the pending and permanent ones of emissions law.
        package var activeJ1939Codes: [DiagnosticMessage.Entry] = []
        package var previousJ1939Codes: [DiagnosticMessage.Entry] = []
        package var pendingJ1939Codes: [DiagnosticMessage.Entry] = []
        package var permanentJ1939Codes: [DiagnosticMessage.Entry] = []
        /// The ambient temperature in °C.
        package var ambientTemperature = 18.0
        /// Whether the ECUs refuse service 04 while the engine runs.
        package var refusesToClearWhileRunning = true
        /// The ECUs that always refuse service 04.
        package var ecusRefusingClear: Set<ECU> = []
        /// Whether the ECUs answer `7F 09 78` (response pending) before the calibration verification numbers.
        package var delaysVerificationNumbers = false
        /// The parameters of service 01 that count replies instead of measuring.
        package var ramp: Ramp?
        /// The byte that fills CAN frames up to 8 bytes; nil for short frames.
        package var padding: UInt8?
        /// The schedule of the ignition.
        ///
        /// With nil, ``trip``, ``pause`` and ``parking`` determine it.
        package var timetable: Timetable?
        /// The time for which a gateway keeps the ECUs awake after a request with the ignition off.
        ///
        /// With zero the ECUs do not answer while the ignition is off.
        package var gatewayWakeTime = Duration.zero

        package init() {}

        /// The layout of the ECUs' replies.
        var layout: MessageLayout { self.bus.isCAN ? .can : .legacy }

        /// Returns the VIN of the vehicle with this seed; seed 1 has the one of the documentation.
        package static func vin(ofSeed seed: UInt64) -> String {
            let usual = Self().vin
            guard seed != Self().seed else { return usual }
            let number = String(1_000_000 + (700_892 + seed % 1_000_000) % 1_000_000).suffix(6)
            return VIN("\(usual.dropLast(6))\(number)").map(\.withCheckDigit.description) ?? usual
        }

        /// Creates the options of a vehicle of this model, on the bus of the model.
        package init(_ model: VehicleModel) {
            self.model = model
            self.bus = model.bus
        }
    }

    package let options: Options
    /// The start of the first trip.
    package let start: MonotonicTime
    /// Whether the vehicle is parked, in spite of its trips and timetable.
    package var isParked = false
    /// The test ids of the requests of service 08 that the ECU performed.
    package private(set) var performedControls: [UInt8] = []
    private let course: VehicleCourse
    private(set) var memory: TroubleMemory
    /// The latest messages of the ECUs, in the order of the requests: at most twice ``logLimit``.
    ///
    /// Tests compare the agent's results with these messages.
    package private(set) var log: [LoggedMessage] = []
    /// The number of all messages since the start, including those that ``log`` has dropped.
    package private(set) var logCount = 0
    /// The numbers of requests on the bus.
    package private(set) var requests = RequestCount()
    /// The time for which requests kept the ECUs awake with the ignition off.
    package private(set) var gatewayAwakeTime = Duration.zero
    private var gatewayWakeEnd: MonotonicTime?
    private(set) var ramp: Ramp?
    /// The number of messages that ``log`` keeps at least.
    private static let logLimit = 256

    package init(_ options: Options = Options(), startedAt start: MonotonicTime = .zero) {
        self.options = options
        self.start = start
        self.ramp = options.ramp
        self.course = VehicleCourse(options)
        self.memory = TroubleMemory(
            options.model.ecus(options.ecus),
            confirmed: options.codes,
            pending: options.pendingCodes,
            permanent: options.permanentCodes,
            mark: self.course.tripState(at: .zero),
            // The freeze frame has a moment of driving.
            frame: self.course.tripState(at: options.trip * 0.3)
        )
    }

    package var bus: BusProtocol { self.options.bus }
    var powertrain: Powertrain { self.course.powertrain }
    /// The payloads of the first 100,000 writing requests on the bus, including refused ones.
    package var writes: [[UInt8]] { self.requests.writes.map(\.payload) }
    var padding: UInt8? { self.options.padding }
    /// Returns the time that an ECU takes to answer.
    func latency(of ecu: ECU) -> Duration { self.options.responseTime + .milliseconds(8 * Int(ecu.rawValue)) }
    /// The ECUs of the vehicle.
    package var ecus: [ECU] { self.memory.ecus }

    /// Returns the state of the vehicle at `time`.
    package func state(at time: MonotonicTime) -> VehicleState {
        var state = self.course.state(at: time - self.start)
        guard self.isParked else { return state }
        (state.ignition, state.isAwake, state.ready, state.charging) = (false, false, false, false)
        (state.chargerPower, state.motorPower, state.motorSpeed, state.tractionCurrent) = (0, 0, 0, 0)
        state.engineRuns = false
        state.engineSpeed = 0
        state.vehicleSpeed = 0
        state.gear = 0
        state.voltage = 12.6
        return state
    }

    /// Counts a request that an adapter put on the bus, and lets the gateway wake the ECUs.
    mutating func requestSent(at time: MonotonicTime) {
        let state = self.state(at: time)
        self.requests.count(state, at: time)
        guard !state.isAwake, !state.charging, self.options.gatewayWakeTime > .zero else { return }
        let end = time + self.options.gatewayWakeTime
        self.gatewayAwakeTime += end - max(time, self.gatewayWakeEnd ?? time)
        self.gatewayWakeEnd = end
    }

    /// Returns the services of the ECUs at `time`.
    private func services(at time: MonotonicTime) -> ECUServices {
        ECUServices(
            options: self.options,
            memory: self.memory,
            powertrain: self.powertrain,
            ramp: self.ramp,
            state: self.state(at: time)
        )
    }

    /// Returns the ECUs that answer at `time`.
    private func awakeECUs(at time: MonotonicTime) -> [ECU] {
        if self.gatewayWakeEnd.map({ time < $0 }) ?? false { return self.ecus }
        let state = self.state(at: time)
        if state.isAwake { return self.ecus }
        return state.charging ? self.ecus.filter(self.options.model.reportsCharge) : []
    }

    /// Whether an ECU answers the request with which an adapter looks for the bus, without a gateway's help.
    func answersSearch(at time: MonotonicTime) -> Bool {
        guard self.options.dialect == .j1979, !self.ecus.isEmpty else { return false }
        let state = self.state(at: time)
        return state.isAwake || state.charging && self.ecus.contains(where: self.options.model.reportsCharge)
    }

    /// Returns the ECU that a request on CAN with this identifier and address reaches, if it is a ``SideECU``.
    ///
    /// An ECU of OBD with the same identifier answers the services that the other one lacks.
    func sideECU(_ identifier: UInt32, extendedAddress: UInt8?, service: UInt8?) -> SideECU? {
        let isExtended = self.bus.hasExtendedIdentifiers
        return self.sideECUs.first { ecu in
            guard let address = ecu.address(extended: isExtended), address.request == identifier,
                address.prefix?.request == extendedAddress
            else { return false }
            return ecu.supports(service: service)
                || !self.ecus.contains { $0.identifier(extended: isExtended) == address.reply }
        }
    }

    /// Notes a request that writes.
    mutating func requestReceived(_ request: [UInt8], at time: MonotonicTime) {
        if (try? RawRequest(payload: request, to: nil))?.effect != .reads { self.requests.noteWrite(request, at: time) }
    }

    /// Confirms a malfunction at `time`.
    ///
    /// Its code is stored and the MIL is switched on. A freeze frame is stored if the ECU has none.
    package mutating func confirm(_ code: DTC, at time: MonotonicTime) {
        self.memory.confirm(code, self.state(at: time))
    }

    /// Clears codes, freeze frames, monitors and counters of `ecus`, as service 04 does.
    ///
    /// Permanent codes stay. With ``Options/refusesToClearWhileRunning`` every ECU refuses while the engine runs.
    ///
    /// - Returns: the ECUs that cleared their codes.
    package mutating func clearCodes(of ecus: [ECU], at time: MonotonicTime) -> Set<ECU> {
        let state = self.state(at: time)
        guard !state.engineRuns || !self.options.refusesToClearWhileRunning else { return [] }
        let clearing = Set(ecus).subtracting(self.options.ecusRefusingClear)
        self.memory.clear(state, of: clearing)
        return clearing
    }

    /// Returns the messages of ``log``, and removes them.
    package mutating func takeLog() -> [LoggedMessage] {
        defer { self.log = [] }
        return self.log
    }

    /// Returns the replies of the ECUs to a request that is sent at `time`.
    ///
    /// - Parameter request: the payload, service byte first.
    package mutating func replies(
        to request: [UInt8],
        target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUMessage] {
        self.requestReceived(request, at: time)
        let replies = self.answers(to: request, target: target, at: time)
        if self.log.count >= 2 * Self.logLimit { self.log.removeFirst(Self.logLimit) }
        self.log += replies.map { LoggedMessage(ecu: $0.ecu, time: time + $0.delay, bytes: $0.message) }
        self.logCount += replies.count
        if request.first == Service.currentData.rawValue, replies.contains(where: { $0.ecu == self.ecus.first }) {
            self.ramp?.advance(request.dropFirst())
        }
        return replies
    }

    private mutating func answers(
        to request: [UInt8],
        target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUMessage] {
        var ecus = self.awakeECUs(at: time)
        guard let first = request.first, !ecus.isEmpty else { return [] }
        if case .physical(let ecu) = target { ecus.removeAll { $0 != ecu } }
        if first == Service.control.rawValue, ecus.contains(.engine), self.services(at: time).performsControl(request) {
            self.performedControls.append(request[1])
        }
        let isPart2 = self.options.dialect == .j1979Part2
        guard isPart2 ? ECUServices.clearsCodes(request) : request == Request.clearCodes.payload else {
            return ecus.flatMap { self.reply(to: request, from: $0, target, at: time) }
        }
        let cleared = self.clearCodes(of: ecus, at: time)
        return ecus.map { ecu in
            let message = cleared.contains(ecu) ? [first | 0x40] : [0x7F, first, 0x22]
            return ECUMessage(ecu: ecu, delay: self.latency(of: ecu), message: message)
        }
    }

    private func reply(
        to request: [UInt8],
        from ecu: ECU,
        _ target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUMessage] {
        if let service = request.first.flatMap(Service.init(rawValue:)),
            let fault = self.options.serviceFaults[ecu]?[service]
        {
            let answer = self.services(at: time).j1979Answer(to: request, from: ecu)
            return fault.replies(to: request, answer, from: ecu, after: self.latency(of: ecu))
        }
        var delay = self.latency(of: ecu)
        switch self.services(at: time + delay).answer(to: request, from: ecu) {
        case .messages(let messages, let sendsPending):
            var replies: [ECUMessage] = []
            if sendsPending {
                replies.append(ECUMessage(ecu: ecu, delay: delay, message: [0x7F, request[0], 0x78]))
                delay += .seconds(1)
            }
            for message in messages {
                replies.append(ECUMessage(ecu: ecu, delay: delay, message: message))
                delay += .milliseconds(40)
            }
            return replies
        case .refusal(let code):
            // An unsupported functional request gets no answer. On KWP it gets a negative response (ISO 14230-4).
            let isKWP = self.bus == .kwp5Baud || self.bus == .kwpFast
            guard target != .functional || isKWP && ecu == .engine else { return [] }
            return [ECUMessage(ecu: ecu, delay: delay, message: [0x7F, request[0], code])]
        }
    }
}
