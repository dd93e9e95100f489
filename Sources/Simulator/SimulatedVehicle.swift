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
        package var seed: UInt64 = 1
        /// The time for which the engine runs in each round.
        package var trip = Duration.seconds(600)
        /// The time after a trip with the engine off and the ignition on.
        package var pause = Duration.seconds(60)
        /// The time after a pause for which the vehicle is parked: the ignition is off and no ECU answers.
        package var parking = Duration.zero
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
        /// The dialect of the ECUs on CAN: SAE J1979 or J1979-2.
        package var dialect = Dialect.j1979
        /// The failure types (third bytes) of codes of J1979-2.
        ///
        /// A code without an entry has 00.
        package var failureTypes: [DTC: UInt8] = [:]
        /// Whether the ECUs of J1979-2 support services 19 42 and 19 55, as the standard requires.
        package var supportsCodeGroups = true
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
    }

    package let options: Options
    /// The start of the first trip.
    package let start: MonotonicTime
    /// Whether the vehicle is parked, in spite of its trips and timetable.
    package var isParked = false
    /// The test ids of the requests of service 08 that the ECU performed.
    package private(set) var performedControls: [UInt8] = []
    /// The payloads of the first 100,000 writing requests on the bus, including refused ones.
    package private(set) var writes: [[UInt8]] = []
    private let cycle: DriveCycle
    let powertrain: Powertrain
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
    private let dice: Dice
    /// The number of messages that ``log`` keeps at least.
    private static let logLimit = 256
    private static let writeLimit = 100_000

    package init(_ options: Options = Options(), startedAt start: MonotonicTime = .zero) {
        self.options = options
        self.start = start
        self.ramp = options.ramp
        let dice = Dice(seed: options.seed)
        self.dice = dice
        self.cycle = DriveCycle(trip: options.trip, pause: options.pause, parking: options.parking, dice: dice)
        self.powertrain = Powertrain(cycle: self.cycle, ambient: options.ambientTemperature, dice: dice)
        // The freeze frame has a moment of driving.
        let driving = self.powertrain.state(at: self.cycle.moment(at: options.trip * 0.3))
        self.memory = TroubleMemory(
            Array(ECU.allCases.prefix(max(1, options.ecus))),
            confirmed: options.codes,
            pending: options.pendingCodes,
            permanent: options.permanentCodes,
            mark: self.powertrain.state(at: self.cycle.moment(at: .zero)),
            frame: driving
        )
    }

    package var bus: BusProtocol { self.options.bus }
    var padding: UInt8? { self.options.padding }
    var layout: MessageLayout { self.bus.isCAN ? .can : .legacy }
    /// Returns the time that an ECU takes to answer.
    func latency(of ecu: ECU) -> Duration { self.options.responseTime + .milliseconds(8 * Int(ecu.rawValue)) }
    /// The ECUs of the vehicle.
    package var ecus: [ECU] { self.memory.ecus }

    /// Returns the state of the vehicle at `time`.
    package func state(at time: MonotonicTime) -> VehicleState {
        var state = self.powertrain.state(at: self.cycle.moment(at: time - self.start))
        if let timetable = self.options.timetable { self.follow(timetable, &state, at: time) }
        guard self.isParked else { return state }
        state.ignition = false
        state.engineRuns = false
        state.engineSpeed = 0
        state.vehicleSpeed = 0
        state.gear = 0
        state.voltage = 12.6
        return state
    }

    private func follow(_ timetable: Timetable, _ state: inout VehicleState, at time: MonotonicTime) {
        let entry = timetable.entry(at: time - self.start)
        (state.ignition, state.engineRuns) = (entry.ignition, entry.engineRuns)
        state.engineSpeed = entry.engineRuns ? max(state.engineSpeed, Powertrain.idleSpeed) : 0
        if !entry.engineRuns { (state.vehicleSpeed, state.gear) = (0, 0) }
        state.voltage = timetable.voltage(at: time - self.start, self.dice)
    }

    /// Counts a request that an adapter put on the bus, and lets the gateway wake the ECUs.
    mutating func requestSent(at time: MonotonicTime) {
        let state = self.state(at: time)
        self.requests.count(state, at: time)
        guard !state.ignition, self.options.gatewayWakeTime > .zero else { return }
        let end = time + self.options.gatewayWakeTime
        self.gatewayAwakeTime += end - max(time, self.gatewayWakeEnd ?? time)
        self.gatewayWakeEnd = end
    }

    /// Whether the ECUs answer at `time`.
    private func isAwake(at time: MonotonicTime) -> Bool {
        self.state(at: time).ignition || self.gatewayWakeEnd.map { time < $0 } ?? false
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
        if (try? RawRequest(payload: request, to: nil))?.effect != .reads, self.writes.count < Self.writeLimit {
            self.writes.append(request)
        }
        let replies = self.answers(to: request, target: target, at: time)
        if self.log.count >= 2 * Self.logLimit { self.log.removeFirst(Self.logLimit) }
        self.log += replies.map { LoggedMessage(ecu: $0.ecu, time: time + $0.delay, bytes: $0.message) }
        self.logCount += replies.count
        if request.first == Service.currentData.rawValue, replies.contains(where: { $0.ecu == .engine }) {
            self.ramp?.advance(request.dropFirst())
        }
        return replies
    }

    private mutating func answers(
        to request: [UInt8],
        target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUMessage] {
        guard let first = request.first, self.isAwake(at: time) else { return [] }
        let ecus: [ECU]
        switch target {
        case .functional: ecus = self.ecus
        case .physical(let ecu): ecus = self.ecus.filter { $0 == ecu }
        }
        if self.performsControl(request, at: time), ecus.contains(.engine) { self.performedControls.append(request[1]) }
        let isPart2 = self.options.dialect == .j1979Part2
        guard isPart2 ? Self.clearsCodes(request) : request == Request.clearCodes.payload else {
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
            let answer = self.answer(to: request, from: ecu, at: time)
            return fault.replies(to: request, answer, from: ecu, after: self.latency(of: ecu))
        }
        var delay = self.latency(of: ecu)
        let answer =
            self.options.dialect == .j1979Part2
            ? self.part2Answer(to: request, from: ecu, at: time + delay)
            : self.answer(to: request, from: ecu, at: time + delay)
        switch answer {
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
