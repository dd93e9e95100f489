// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import ELM327
internal import OBD2

/// The answer of each ECU to each service (SAE J1979).
extension SimulatedVehicle {
    /// The answer of one ECU to a request.
    enum Answer {
        /// The payloads of the positive response. With `sendsPending`, a "response pending" (7F xx 78) comes first.
        case messages([[UInt8]], sendsPending: Bool = false)
        /// A negative response with this code.
        case refusal(UInt8)

        static let notSupported = Self.refusal(0x11)
        static let outOfRange = Self.refusal(0x12)
    }

    private static let notSupported = Answer.notSupported
    private static let outOfRange = Answer.outOfRange
    private static let conditionsNotCorrect = Answer.refusal(0x22)

    func answer(to request: [UInt8], from ecu: ECU, at time: MonotonicTime) -> Answer {
        guard let service = request.first.flatMap(Service.init(rawValue:)),
            self.options.model.services?.contains(service) ?? true
        else { return Self.notSupported }
        let arguments = Array(request.dropFirst())
        switch service {
        case .currentData: return self.currentData(arguments, ecu, self.state(at: time))
        case .freezeFrame: return self.freezeFrame(arguments, ecu)
        case .confirmedCodes where arguments.isEmpty: return self.codes(self.memory.confirmed, service, ecu)
        case .pendingCodes where arguments.isEmpty: return self.codes(self.memory.pending, service, ecu)
        case .permanentCodes where arguments.isEmpty && self.bus.isCAN:
            return self.codes(self.memory.permanent, service, ecu)
        case .oxygenSensorTests where arguments.count == 2 && !self.bus.isCAN:
            return self.results(of: ecu, at: time).oxygenSensorAnswer(arguments[0], arguments[1])
        case .monitorTests where arguments.count == 1:
            let results = self.results(of: ecu, at: time)
            return self.bus.isCAN ? results.testAnswer(arguments[0]) : results.componentAnswer(arguments[0])
        case .control: return self.control(request, ecu, at: time)
        case .vehicleInformation where arguments.count == 1:
            return self.information(arguments[0], self.results(of: ecu, at: time))
        default: return Self.notSupported
        }
    }

    private func results(of ecu: ECU, at time: MonotonicTime) -> MonitorResults {
        MonitorResults(ecu: ecu, state: self.state(at: time), memory: self.memory)
    }

    private func codes(_ codes: [DTC], _ service: Service, _ ecu: ECU) -> Answer {
        .messages(CodeReply.encode(self.memory.codes(codes, storedBy: ecu), service: service, layout: self.layout))
    }

    private func currentData(_ arguments: [UInt8], _ ecu: ECU, _ state: VehicleState) -> Answer {
        guard (1...(self.bus.isCAN ? 6 : 1)).contains(arguments.count) else { return Self.outOfRange }
        let readings = Readings(
            ecu: ecu,
            state: state,
            memory: self.memory,
            powertrain: self.powertrain,
            pids: self.pids(of: ecu),
            maxima: ecu == .engine ? self.options.maxima : [:],
            ramp: self.ramp
        )
        let answered = self.options.pidLimit.answered(of: arguments)
        let data = answered.map(PID.init(rawValue:)).flatMap { pid in
            readings.data(of: pid).map { [pid.rawValue] + $0 } ?? []
        }
        return data.isEmpty ? Self.outOfRange : .messages([[Service.currentData.positiveResponse] + data])
    }

    private func pids(of ecu: ECU) -> SupportedPIDs? {
        let pids = ecu == .engine ? self.options.enginePIDs : nil
        return (pids ?? self.options.model.pids(of: ecu)).map { SupportedPIDs($0) }
    }

    private func freezeFrame(_ arguments: [UInt8], _ ecu: ECU) -> Answer {
        let pairs = stride(from: 0, to: arguments.count - 1, by: 2).map { (arguments[$0], arguments[$0 + 1]) }
        guard (1...(self.bus.isCAN ? 3 : 1)).contains(pairs.count), arguments.count.isMultiple(of: 2),
            pairs.allSatisfy({ $0.1 == 0 })
        else { return Self.outOfRange }
        var parts: [(pid: PID, data: [UInt8])] = []
        for pid in pairs.map({ PID(rawValue: $0.0) }) {
            if let frame = self.memory.freezeFrames[ecu] {
                let readings = Readings(
                    ecu: ecu,
                    state: frame.state,
                    memory: self.memory,
                    powertrain: self.powertrain,
                    maxima: ecu == .engine ? self.options.maxima : [:]
                )
                if let data = readings.frameData(of: pid, code: frame.code) { parts.append((pid, data)) }
            } else if pid == FreezeFrame.codePID {
                parts.append((pid, [0, 0]))
            }
        }
        return parts.isEmpty ? Self.outOfRange : .messages([FreezeFrame.encode(parts, frame: 0)])
    }

    // MARK: - Control

    /// Whether the engine's ECU performs this request of service 08: it performs a leak test with the engine off.
    func performsControl(_ request: [UInt8], at time: MonotonicTime) -> Bool {
        request.count == 2 + ControlRequest.dataLength && request[0] == Service.control.rawValue
            && self.options.supportsControl && request[1] == ControlRequest.evaporativeLeakTest
            && !self.state(at: time).engineRuns
    }

    private func control(_ request: [UInt8], _ ecu: ECU, at time: MonotonicTime) -> Answer {
        guard ecu == .engine, self.options.supportsControl else { return Self.notSupported }
        guard request.count == 2 + ControlRequest.dataLength else { return Self.outOfRange }
        let head = [Service.control.positiveResponse, request[1]]
        if request[1] == 0x00 { return .messages([head + [0x80, 0, 0, 0]]) }
        guard request[1] == ControlRequest.evaporativeLeakTest else { return Self.outOfRange }
        return self.performsControl(request, at: time)
            ? .messages([head + request.dropFirst(2)]) : Self.conditionsNotCorrect
    }

    // MARK: - Vehicle information

    private func information(_ type: UInt8, _ results: MonitorResults) -> Answer {
        guard let type = InfoType(rawValue: type) else { return Self.outOfRange }
        let contents = self.contents(results)
        if type == .supported {
            let counts = contents.keys.compactMap(\.messageCount)
            let types = self.layout == .can ? Array(contents.keys) : Array(contents.keys) + counts
            return .messages(VehicleInformation.encode(supported: types, layout: self.layout))
        }
        if self.layout == .legacy, let (_, messages) = contents.first(where: { $0.key.messageCount == type }) {
            return .messages(VehicleInformation.encode(messageCount: messages.count, type: type))
        }
        guard let messages = contents[type] else { return Self.outOfRange }
        let sendsPending = type == .calibrationVerificationNumbers && self.options.delaysVerificationNumbers
        return .messages(messages, sendsPending: sendsPending)
    }

    /// Returns the messages of each InfoType of an ECU, without the bitmap and the message counts.
    private func contents(_ results: MonitorResults) -> [InfoType: [[UInt8]]] {
        let layout = self.layout
        let ecu = results.ecu
        var contents: [InfoType: [[UInt8]]] = [
            .calibrationIDs: VehicleInformation.encode(calibrationIDs: [ecu.calibrationID], layout: layout),
            .calibrationVerificationNumbers: VehicleInformation.encode(
                calibrationVerificationNumbers: [ecu.calibrationVerificationNumber],
                layout: layout
            ),
            .ecuName: VehicleInformation.encode(ecuName: ecu.name, layout: layout),
        ]
        guard ecu == .engine else { return contents }
        contents[.vin] = VIN(self.options.vin).map { VehicleInformation.encode(vin: $0, layout: layout) }
        contents[.sparkPerformance] = results.performance.map {
            VehicleInformation.encode(inUsePerformance: $0, layout: layout)
        }
        if layout == .can {
            contents[.engineSerialNumber] = VehicleInformation.encode(
                number: Self.engineSerialNumber,
                type: .engineSerialNumber
            )
            contents[.typeApprovalNumber] = VehicleInformation.encode(
                number: Self.typeApprovalNumber,
                type: .typeApprovalNumber
            )
        }
        return contents
    }

    static let engineSerialNumber = "SIM16-0004700893"
    static let typeApprovalNumber = "E99*715/2007*SIM1"
}
