// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import ELM327
internal import OBD2

/// The services of the ECUs of a simulated vehicle at one moment (SAE J1979).
///
/// The vehicle has the values of that moment. The answers depend on nothing else.
struct ECUServices: Sendable {
    let options: SimulatedVehicle.Options
    let memory: TroubleMemory
    let powertrain: Powertrain
    let ramp: Ramp?
    let state: VehicleState

    static let engineSerialNumber = "SIM16-0004700893"
    static let typeApprovalNumber = "E99*715/2007*SIM1"

    private var bus: BusProtocol { self.options.bus }
    private var layout: MessageLayout { self.options.layout }

    /// Returns the answer of an ECU in the dialect of the vehicle.
    func answer(to request: [UInt8], from ecu: ECU) -> ServiceAnswer {
        self.options.dialect == .j1979Part2
            ? self.part2Answer(to: request, from: ecu) : self.j1979Answer(to: request, from: ecu)
    }

    func j1979Answer(to request: [UInt8], from ecu: ECU) -> ServiceAnswer {
        guard let service = request.first.flatMap(Service.init(rawValue:)),
            self.options.model.services?.contains(service) ?? true
        else { return .notSupported }
        let arguments = Array(request.dropFirst())
        switch service {
        case .currentData: return self.currentData(arguments, ecu)
        case .freezeFrame: return self.freezeFrame(arguments, ecu)
        case .confirmedCodes where arguments.isEmpty: return self.codes(self.memory.confirmed, service, ecu)
        case .pendingCodes where arguments.isEmpty: return self.codes(self.memory.pending, service, ecu)
        case .permanentCodes where arguments.isEmpty && self.bus.isCAN:
            return self.codes(self.memory.permanent, service, ecu)
        case .oxygenSensorTests where arguments.count == 2 && !self.bus.isCAN:
            return self.results(of: ecu).oxygenSensorAnswer(arguments[0], arguments[1])
        case .monitorTests where arguments.count == 1:
            let results = self.results(of: ecu)
            return self.bus.isCAN ? results.testAnswer(arguments[0]) : results.componentAnswer(arguments[0])
        case .control: return self.control(request, ecu)
        case .vehicleInformation where arguments.count == 1:
            return self.information(arguments[0], self.results(of: ecu))
        default: return .notSupported
        }
    }

    private func results(of ecu: ECU) -> MonitorResults {
        MonitorResults(ecu: ecu, state: self.state, memory: self.memory)
    }

    private func codes(_ codes: [DTC], _ service: Service, _ ecu: ECU) -> ServiceAnswer {
        .messages(CodeReply.encode(self.memory.codes(codes, storedBy: ecu), service: service, layout: self.layout))
    }

    private func currentData(_ arguments: [UInt8], _ ecu: ECU) -> ServiceAnswer {
        guard (1...(self.bus.isCAN ? 6 : 1)).contains(arguments.count) else { return .outOfRange }
        let readings = Readings(
            ecu: ecu,
            state: self.state,
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
        return data.isEmpty ? .outOfRange : .messages([[Service.currentData.positiveResponse] + data])
    }

    private func pids(of ecu: ECU) -> SupportedPIDs? {
        let pids = ecu == .engine ? self.options.enginePIDs : nil
        return (pids ?? self.options.model.pids(of: ecu)).map { SupportedPIDs($0) }
    }

    private func freezeFrame(_ arguments: [UInt8], _ ecu: ECU) -> ServiceAnswer {
        let pairs = stride(from: 0, to: arguments.count - 1, by: 2).map { (arguments[$0], arguments[$0 + 1]) }
        guard (1...(self.bus.isCAN ? 3 : 1)).contains(pairs.count), arguments.count.isMultiple(of: 2),
            pairs.allSatisfy({ $0.1 == 0 })
        else { return .outOfRange }
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
        return parts.isEmpty ? .outOfRange : .messages([FreezeFrame.encode(parts, frame: 0)])
    }

    // MARK: - Control

    /// Whether the engine's ECU performs this request of service 08: it performs a leak test with the engine off.
    func performsControl(_ request: [UInt8]) -> Bool {
        request.count == 2 + ControlRequest.dataLength && request[0] == Service.control.rawValue
            && self.options.supportsControl && request[1] == ControlRequest.evaporativeLeakTest
            && !self.state.engineRuns
    }

    private func control(_ request: [UInt8], _ ecu: ECU) -> ServiceAnswer {
        guard ecu == .engine, self.options.supportsControl else { return .notSupported }
        guard request.count == 2 + ControlRequest.dataLength else { return .outOfRange }
        let head = [Service.control.positiveResponse, request[1]]
        if request[1] == 0x00 { return .messages([head + [0x80, 0, 0, 0]]) }
        guard request[1] == ControlRequest.evaporativeLeakTest else { return .outOfRange }
        return self.performsControl(request) ? .messages([head + request.dropFirst(2)]) : .conditionsNotCorrect
    }

    // MARK: - Vehicle information

    private func information(_ type: UInt8, _ results: MonitorResults) -> ServiceAnswer {
        guard let type = InfoType(rawValue: type) else { return .outOfRange }
        let contents = self.contents(results)
        if type == .supported {
            let counts = contents.keys.compactMap(\.messageCount)
            let types = self.layout == .can ? Array(contents.keys) : Array(contents.keys) + counts
            return .messages(VehicleInformation.encode(supported: types, layout: self.layout))
        }
        if self.layout == .legacy, let (_, messages) = contents.first(where: { $0.key.messageCount == type }) {
            return .messages(VehicleInformation.encode(messageCount: messages.count, type: type))
        }
        guard let messages = contents[type] else { return .outOfRange }
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
}
