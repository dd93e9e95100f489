// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Base

/// A vehicle that drives: the same for the same seed and time, whatever was asked before.
///
/// It begins a trip, drives it through the gears, stops the engine for a pause, and begins the next one. Only what
/// service 04 clears, and what its user changes, is state.
package struct SimulatedVehicle: Sendable {
    /// What vehicle it is.
    package struct Options: Sendable {
        package var seed: UInt64 = 1
        /// How long the engine runs in a round.
        package var trip = Duration.seconds(600)
        /// How long it then stands, engine off and ignition on.
        package var pause = Duration.seconds(60)
        /// How long it is then parked: ignition off, no ECU answers.
        package var parking = Duration.zero
        package var bus = BusProtocol.can11at500
        package var vin = "ZZZSMVLATR4700893"
        /// Confirmed codes; they light the MIL.
        package var codes: [DTC] = []
        package var pendingCodes: [DTC] = []
        package var permanentCodes: [DTC] = []
        /// How many ECUs answer, 1 to 3: the engine's, the gearbox's, the brakes'.
        package var ecus = 2
        /// How long the engine's ECU takes to answer (SAE J1979, P2); each further one takes 8 ms more.
        package var responseTime = Duration.milliseconds(10)
        /// The least time that its ECUs leave between two frames of a message.
        package var separation = Duration.milliseconds(1)
        /// How many PIDs of one request its ECUs take, and what they do about more.
        package var pidLimit = PIDLimit.silence(above: 6)
        /// What ECUs do wrong, by service.
        package var serviceFaults: [ECU: [Service: ServiceFault]] = [:]
        /// Whether the engine's ECU obeys service 08.
        package var obeysControl = false
        /// On CAN: what its ECUs speak, SAE J1979 or J1979-2.
        package var dialect = Dialect.j1979
        /// The third bytes of codes of J1979-2; 00 for those that have none here.
        package var failureTypes: [DTC: UInt8] = [:]
        /// Whether the ECUs of J1979-2 know services 19 42 and 19 55, as they should.
        package var knowsCodeGroups = true
        /// On J1939: the active codes, those that were active before, and the lists of codes that emissions law asks for.
        package var faults: [DiagnosticMessage.Entry] = []
        package var previousFaults: [DiagnosticMessage.Entry] = []
        package var pendingFaults: [DiagnosticMessage.Entry] = []
        package var permanentFaults: [DiagnosticMessage.Entry] = []
        /// °C.
        package var ambientTemperature = 18.0
        /// Whether service 04 is refused while the engine runs.
        package var refusesToClearWhileRunning = true
        /// The ECUs that never obey service 04.
        package var keepsCodes: Set<ECU> = []
        /// Whether the calibration verification numbers take their time: `7F 09 78` first.
        package var calculatesVerificationNumbers = false
        /// What counts instead of measuring, in service 01.
        package var ramp: Ramp?
        /// What CAN frames are filled with up to 8 bytes, none for short frames.
        package var padding: UInt8?
        /// When the key is turned; nil: as ``trip``, ``pause`` and ``parking`` say.
        package var timetable: Timetable?
        /// How long a gateway keeps the ECUs awake that was asked with the ignition off; zero: they do not answer then.
        package var awakening = Duration.zero

        package init() {}
    }

    package let options: Options
    /// When the first trip began.
    package let start: MonotonicTime
    /// Turns the key: an override that lasts until it is taken back.
    package var isParked = false
    /// The requests of service 08 that were obeyed, by their id.
    package private(set) var controls: [UInt8] = []
    /// The payloads of the requests on its bus that write, whether an ECU obeyed or not; the first of them.
    package private(set) var writes: [[UInt8]] = []
    private let cycle: DriveCycle
    let powertrain: Powertrain
    private(set) var memory: TroubleMemory
    /// What its ECUs have put on the bus lately, in the order of the requests.
    ///
    /// The truth about every reply: at most twice ``logLimit`` messages.
    package private(set) var log: [LoggedMessage] = []
    /// How many messages ``log`` has had, those included that it has no more.
    package private(set) var logCount = 0
    /// The requests that were put on its bus.
    package private(set) var requests = RequestCount()
    /// How long its ECUs were kept awake with the ignition off.
    package private(set) var awake = Duration.zero
    private var awakeUntil: MonotonicTime?
    private(set) var ramp: Ramp?
    private let dice: Dice
    /// How many messages ``log`` keeps at least.
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
        // The freeze frame shows a moment of driving.
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
    /// How long an ECU takes to answer.
    func latency(of ecu: ECU) -> Duration { self.options.responseTime + .milliseconds(8 * Int(ecu.rawValue)) }
    /// The ECUs that it has.
    package var ecus: [ECU] { self.memory.ecus }

    /// What goes on in it at `time`.
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

    /// Somebody puts a request on the bus, whoever answers.
    mutating func wasAsked(at time: MonotonicTime) {
        let state = self.state(at: time)
        self.requests.count(state, at: time)
        guard !state.ignition, self.options.awakening > .zero else { return }
        let end = time + self.options.awakening
        self.awake += end - max(time, self.awakeUntil ?? time)
        self.awakeUntil = end
    }

    /// Whether its ECUs answer.
    private func isAwake(at time: MonotonicTime) -> Bool {
        self.state(at: time).ignition || self.awakeUntil.map { time < $0 } ?? false
    }

    /// A malfunction is confirmed at `time`: its code is stored, with a freeze frame if there is none, and the MIL lights.
    package mutating func confirm(_ code: DTC, at time: MonotonicTime) {
        self.memory.confirm(code, self.state(at: time))
    }

    /// Clears codes, freeze frames, monitors and counters of `ecus` as service 04 does.
    ///
    /// Permanent codes stay.
    ///
    /// - Returns: those that did; none while the engine runs, unless the options say otherwise.
    package mutating func clearCodes(of ecus: [ECU], at time: MonotonicTime) -> Set<ECU> {
        let state = self.state(at: time)
        guard !state.engineRuns || !self.options.refusesToClearWhileRunning else { return [] }
        let obeying = Set(ecus).subtracting(self.options.keepsCodes)
        self.memory.clear(state, of: obeying)
        return obeying
    }

    /// Gives out ``log``, and begins a new one.
    package mutating func takeLog() -> [LoggedMessage] {
        defer { self.log = [] }
        return self.log
    }

    /// What the ECUs answer to the payload of a request (service byte first) that is sent at `time`.
    package mutating func replies(
        to request: [UInt8],
        target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUReply] {
        if (try? RawRequest(payload: request, to: nil))?.effect != .reads, self.writes.count < Self.writeLimit {
            self.writes.append(request)
        }
        let replies = self.answers(to: request, target: target, at: time)
        if self.log.count >= 2 * Self.logLimit { self.log.removeFirst(Self.logLimit) }
        self.log += replies.map { LoggedMessage(ecu: $0.ecu, time: time + $0.delay, bytes: $0.message) }
        self.logCount += replies.count
        if request.first == Service.currentData.rawValue, replies.contains(where: { $0.ecu == .engine }) {
            self.ramp?.sent(request.dropFirst())
        }
        return replies
    }

    private mutating func answers(
        to request: [UInt8],
        target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUReply] {
        guard let first = request.first, self.isAwake(at: time) else { return [] }
        let ecus: [ECU]
        switch target {
        case .functional: ecus = self.ecus
        case .physical(let ecu): ecus = self.ecus.filter { $0 == ecu }
        }
        if self.obeys(request, at: time), ecus.contains(.engine) { self.controls.append(request[1]) }
        let isPart2 = self.options.dialect == .j1979Part2
        guard isPart2 ? Self.clearsCodes(request) : request == Request.clearCodes.payload else {
            return ecus.flatMap { self.reply(to: request, from: $0, target, at: time) }
        }
        let cleared = self.clearCodes(of: ecus, at: time)
        return ecus.map { ecu in
            let message = cleared.contains(ecu) ? [first | 0x40] : [0x7F, first, 0x22]
            return ECUReply(ecu: ecu, delay: self.latency(of: ecu), message: message)
        }
    }

    private func reply(
        to request: [UInt8],
        from ecu: ECU,
        _ target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUReply] {
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
        case .messages(let messages, let takesTime):
            var replies: [ECUReply] = []
            if takesTime {
                replies.append(ECUReply(ecu: ecu, delay: delay, message: [0x7F, request[0], 0x78]))
                delay += .seconds(1)
            }
            for message in messages {
                replies.append(ECUReply(ecu: ecu, delay: delay, message: message))
                delay += .milliseconds(40)
            }
            return replies
        case .refusal(let code):
            // Functional requests that are not supported get no answer, but on KWP they do (ISO 14230-4).
            let isKWP = self.bus == .kwp5Baud || self.bus == .kwpFast
            guard target != .functional || isKWP && ecu == .engine else { return [] }
            return [ECUReply(ecu: ecu, delay: delay, message: [0x7F, request[0], code])]
        }
    }
}
