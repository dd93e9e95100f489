// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2
package import Timing

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
        /// °C.
        package var ambientTemperature = 18.0
        /// Whether service 04 is refused while the engine runs.
        package var refusesToClearWhileRunning = true
        /// Whether the calibration verification numbers take their time: `7F 09 78` first.
        package var calculatesVerificationNumbers = false
        /// What CAN frames are filled with up to 8 bytes, none for short frames.
        package var padding: UInt8?

        package init() {}
    }

    package let options: Options
    /// When the first trip began.
    package let start: MonotonicTime
    /// Turns the key: an override that lasts until it is taken back.
    package var isParked = false
    private let cycle: DriveCycle
    private let powertrain: Powertrain
    private var memory: TroubleMemory

    package init(_ options: Options = Options(), startedAt start: MonotonicTime = .zero) {
        self.options = options
        self.start = start
        let dice = Dice(seed: options.seed)
        self.cycle = DriveCycle(trip: options.trip, pause: options.pause, parking: options.parking, dice: dice)
        self.powertrain = Powertrain(cycle: self.cycle, ambient: options.ambientTemperature, dice: dice)
        // The freeze frame shows a moment of driving.
        let driving = self.powertrain.state(at: self.cycle.moment(at: options.trip * 0.3))
        self.memory = TroubleMemory(
            confirmed: options.codes,
            pending: options.pendingCodes,
            permanent: options.permanentCodes,
            mark: self.powertrain.state(at: self.cycle.moment(at: .zero)),
            frame: driving
        )
    }

    package var bus: BusProtocol { self.options.bus }
    var padding: UInt8? { self.options.padding }
    private var layout: MessageLayout { self.bus.isCAN ? .can : .legacy }

    /// What goes on in it at `time`.
    package func state(at time: MonotonicTime) -> VehicleState {
        var state = self.powertrain.state(at: self.cycle.moment(at: time - self.start))
        guard self.isParked else { return state }
        state.ignition = false
        state.engineRuns = false
        state.engineSpeed = 0
        state.vehicleSpeed = 0
        state.gear = 0
        state.voltage = 12.6
        return state
    }

    /// A malfunction is confirmed at `time`: its code is stored, with a freeze frame if there is none, and the MIL lights.
    package mutating func confirm(_ code: DTC, at time: MonotonicTime) {
        self.memory.confirm(code, self.state(at: time))
    }

    /// Clears codes, freeze frame, monitors and counters as service 04 does.
    ///
    /// Permanent codes stay.
    ///
    /// - Returns: whether it did; not while the engine runs, unless the options say otherwise.
    package mutating func clearCodes(at time: MonotonicTime) -> Bool {
        let state = self.state(at: time)
        guard !state.engineRuns || !self.options.refusesToClearWhileRunning else { return false }
        self.memory.clear(state)
        return true
    }

    /// What the ECUs answer to the payload of a request (service byte first) that is sent at `time`.
    package mutating func replies(
        to request: [UInt8],
        target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUReply] {
        guard let first = request.first, self.state(at: time).ignition else { return [] }
        let ecus: [ECU]
        switch target {
        case .functional: ecus = ECU.allCases
        case .physical(let ecu): ecus = [ecu]
        }
        guard first == Service.clearCodes.rawValue, request.count == 1 else {
            return ecus.flatMap { self.reply(to: request, from: $0, target, at: time) }
        }
        let cleared = self.clearCodes(at: time)
        return ecus.map { ecu in
            ECUReply(ecu: ecu, delay: ecu.latency, message: cleared ? [0x44] : [0x7F, first, 0x22])
        }
    }

    private func reply(
        to request: [UInt8],
        from ecu: ECU,
        _ target: RequestTarget,
        at time: MonotonicTime
    ) -> [ECUReply] {
        let answer = self.answer(to: request, from: ecu, at: time + ecu.latency)
        var delay = ecu.latency
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

    private enum Answer {
        case messages([[UInt8]], takesTime: Bool = false)
        case refusal(UInt8)
    }

    private static let notSupported = Answer.refusal(0x11)
    private static let outOfRange = Answer.refusal(0x12)

    private func answer(to request: [UInt8], from ecu: ECU, at time: MonotonicTime) -> Answer {
        guard let service = request.first.flatMap(Service.init(rawValue:)) else { return Self.notSupported }
        let arguments = Array(request.dropFirst())
        let state = self.state(at: time)
        switch service {
        case .currentData: return self.currentData(arguments, ecu, state)
        case .freezeFrame: return self.freezeFrame(arguments, ecu)
        case .confirmedCodes where arguments.isEmpty: return self.codes(self.memory.confirmed, service, ecu)
        case .pendingCodes where arguments.isEmpty: return self.codes(self.memory.pending, service, ecu)
        case .permanentCodes where arguments.isEmpty && self.bus.isCAN:
            return self.codes(self.memory.permanent, service, ecu)
        case .vehicleInformation where arguments.count == 1: return self.information(arguments[0], ecu)
        default: return Self.notSupported
        }
    }

    private func codes(_ codes: [DTC], _ service: Service, _ ecu: ECU) -> Answer {
        .messages(CodeReply.encode(codes.filter(ecu.finds), service: service, layout: self.layout))
    }

    private func currentData(_ arguments: [UInt8], _ ecu: ECU, _ state: VehicleState) -> Answer {
        guard (1...(self.bus.isCAN ? 6 : 1)).contains(arguments.count) else { return Self.outOfRange }
        let readings = Readings(ecu: ecu, state: state, memory: self.memory, powertrain: self.powertrain)
        let data = arguments.map(PID.init(rawValue:)).flatMap { pid in
            readings.data(of: pid).map { [pid.rawValue] + $0 } ?? []
        }
        return data.isEmpty ? Self.outOfRange : .messages([[Service.currentData.positiveResponse] + data])
    }

    private func freezeFrame(_ arguments: [UInt8], _ ecu: ECU) -> Answer {
        guard ecu == .engine, arguments.count == 2, arguments[1] == 0 else { return Self.outOfRange }
        let pid = PID(rawValue: arguments[0])
        let head = [Service.freezeFrame.positiveResponse, pid.rawValue, 0]
        guard let frame = self.memory.freezeFrame else {
            return pid == 0x02 ? .messages([head + [0, 0]]) : Self.outOfRange
        }
        let readings = Readings(ecu: ecu, state: frame.state, memory: self.memory, powertrain: self.powertrain)
        guard let data = readings.frameData(of: pid, code: frame.code) else { return Self.outOfRange }
        return .messages([head + data])
    }

    private func information(_ type: UInt8, _ ecu: ECU) -> Answer {
        let layout = self.layout
        switch InfoType(rawValue: type) {
        case .supported:
            let all: [InfoType] = [.vin, .calibrationIDs, .calibrationVerificationNumbers, .ecuName]
            let types = all.filter { $0 != .vin || ecu == .engine }
            return .messages(VehicleInformation.encode(supported: types, layout: layout))
        case .vin:
            guard ecu == .engine, let vin = VIN(self.options.vin) else { return Self.outOfRange }
            return .messages(VehicleInformation.encode(vin: vin, layout: layout))
        case .calibrationIDs:
            return .messages(VehicleInformation.encode(calibrationIDs: [ecu.calibrationID], layout: layout))
        case .calibrationVerificationNumbers:
            let numbers = [ecu.calibrationVerificationNumber]
            return .messages(
                VehicleInformation.encode(calibrationVerificationNumbers: numbers, layout: layout),
                takesTime: self.options.calculatesVerificationNumbers
            )
        case .ecuName:
            return .messages(VehicleInformation.encode(ecuName: ecu.name, layout: layout))
        default:
            return Self.outOfRange
        }
    }
}
