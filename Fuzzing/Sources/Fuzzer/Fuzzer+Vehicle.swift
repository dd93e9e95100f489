// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// What a vehicle says.
extension Fuzzer {
    /// The length of the request, the request, and messages, each behind its length.
    static func obd2(_ input: [UInt8]) {
        guard input.count > 2, let service = Service(rawValue: input[1]) else { return }
        let length = Int(input[0] % 7)
        let request = Request(service: service, data: Array(input.dropFirst(2).prefix(length)))
        var messages: [[UInt8]] = []
        var rest = input.dropFirst(2 + length)
        while let count = rest.popFirst(), messages.count < 32 {
            messages.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        guard let reply = try? Reply(messages: messages, to: request) else { return }
        precondition(!reply.messages.isEmpty && reply.messages.allSatisfy { !$0.isEmpty })
        for layout in [MessageLayout.can, .legacy] { Self.decode(reply, layout) }
        if let parts = try? CurrentData.walk(reply.body, requested: nil) {
            precondition(parts.reduce(0) { $0 + 1 + $1.data.count } == reply.body.count, "something left over")
            for part in parts { Self.decode(part.data, of: part.pid) }
        }
        for pid in request.pids { Self.decode(reply.data, of: pid) }
    }

    private static func decode(_ reply: Reply, _ layout: MessageLayout) {
        _ = try? CodeReply.decode(reply, layout: layout)
        _ = try? VehicleInformation.vin(reply, layout: layout)
        _ = try? VehicleInformation.calibrationIDs(reply, layout: layout)
        _ = try? VehicleInformation.calibrationVerificationNumbers(reply, layout: layout)
        _ = try? VehicleInformation.ecuName(reply, layout: layout)
        _ = try? VehicleInformation.number(reply, layout: layout)
        _ = try? VehicleInformation.supported(reply, layout: layout)
        _ = try? VehicleInformation.messageCount(reply)
        _ = try? FreezeFrame.code(reply)
        _ = try? MonitorTest.decode(reply)
        _ = try? OxygenSensorTest.decode(reply)
        _ = try? ComponentTest.decode(reply)
        _ = try? ComponentTest.bitmap(reply)
        _ = try? ControlRequest.decode(reply)
    }

    private static func decode(_ data: [UInt8], of pid: PID) {
        guard let parameter = Parameter.withPID(pid), let values = try? parameter.decode(data) else { return }
        precondition(parameter.length?.contains(data.count) ?? true)
        for value in values {
            guard case .number(let number) = value.value else { continue }
            precondition(value.field.rangeOfValues.contains(number), "\(value)")
        }
        var supported = SupportedPIDs()
        try? supported.merge(base: pid, bitmap: data)
        _ = supported.pids
    }

    /// The status mask that was asked for, and a reply to service 19; then the same bytes as a reply to service 22.
    static func uds(_ input: [UInt8]) {
        guard let mask = input.first else { return }
        let message = Array(input.dropFirst())
        if let codes = try? UDSCodeReply.decode(message, wanted: CodeStatus(rawValue: mask)) {
            _ = codes.map(\.description)
        }
        for request in [Request.currentData(0x0C), .currentData(0x01), .vehicleInformation(.vin), .confirmedCodes] {
            guard let payload = UDSRequest.j1979Reply(from: message, to: request) else { continue }
            guard let reply = try? Reply(messages: [payload], to: request) else { continue }
            Self.decode(reply, .can)
        }
    }

    /// A parameter group's number and its data.
    static func j1939(_ input: [UInt8]) {
        guard input.count > 2 else { return }
        let data = Array(input.dropFirst(3))
        if let message = try? DiagnosticMessage(data) { precondition(message.codes.count <= data.count) }
        _ = try? J1939Text.vin(data)
        _ = J1939Text.component(data)
        _ = try? ReadinessMessage(data).data
        _ = try? CalibrationMessage(data).data
        _ = try? PerformanceMessage(data).compression
        _ = try? CodeCounts(data)
        _ = try? EngineFamily(data)
        _ = try? IndividualClear(data)
        _ = try? Acknowledgment(data)
        if let layout = try? SupportedSPNs(data), let frames = try? ExpandedFreezeFrames(data).frames {
            for frame in frames { _ = frame.values(by: layout) }
        }
        for result in (try? ScaledTestResult.decode(data)) ?? [] { _ = result.verdict }
        let pgn = PGN(rawValue: UInt32(input[0]) << 16 | UInt32(input[1]) << 8 | UInt32(input[2]))
        for value in ParameterGroup.withPGN(pgn)?.decode(data) ?? [] {
            guard case .number(let number) = value.value else { continue }
            precondition(value.field.rangeOfValues.contains(number), "\(value)")
        }
    }
}
