// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2

/// What one part of a raw reply means, for people and for programs.
struct Explanation {
    var lines: [String]
    var json: JSON
}

/// Reads raw replies of any service.
enum RawReply {
    /// What `bytes`, service byte first, mean.
    static func explain(_ bytes: [UInt8], layout: MessageLayout) throws(OBD2.DecodingError) -> [Explanation] {
        guard let first = bytes.first else { throw .empty }
        if let negative = NegativeResponse(payload: bytes) {
            return [Explanation(lines: [negative.description], json: ["negative": .string(negative.description)])]
        }
        guard first & 0x40 != 0, let service = Service(rawValue: first & ~0x40) else {
            throw .wrongService(expected: 0x41, actual: first)
        }
        switch service {
        case .currentData:
            var explanations: [Explanation] = []
            for (pid, data) in try CurrentData.walk(Array(bytes.dropFirst()), requested: nil) {
                explanations.append(try Self.parameter(pid, data))
            }
            return explanations
        case .freezeFrame:
            guard bytes.count > 3 else { throw .wrongLength(expected: 4...44, actual: bytes.count) }
            return [try Self.parameter(PID(rawValue: bytes[1]), Array(bytes.dropFirst(3)))]
        case .confirmedCodes, .pendingCodes, .permanentCodes:
            let reply = try Reply(messages: [bytes], to: Request(service: service))
            return [Self.codes(try CodeReply.decode(reply, layout: layout), service)]
        case .clearCodes:
            return [Explanation(lines: ["codes cleared"], json: ["service": "04"])]
        case .vehicleInformation:
            return [try Self.information(bytes, layout)]
        case .oxygenSensorTests, .monitorTests, .control:
            return [Explanation(lines: ["service \(service): not decoded"], json: ["service": .string("\(service)")])]
        }
    }

    private static func parameter(_ pid: PID, _ data: [UInt8]) throws(OBD2.DecodingError) -> Explanation {
        guard let parameter = Parameter.withPID(pid) else { throw .unknownPID(pid) }
        let values = try parameter.decode(data)
        var lines = ["\(pid)  \(parameter.title)"]
        for value in values {
            let unit = value.field.unit.map { " \($0.symbol)" } ?? ""
            lines.append("    \(value.field.name) = \(value.value.text)\(unit)")
        }
        if values.isEmpty {
            lines.append("    no value: its layout is not known, or the ECU supports none of its fields")
        }
        let fields = Dictionary(values.map { ($0.field.key, JSONOutput.json($0.value)) }) { first, _ in first }
        return Explanation(
            lines: lines,
            json: [
                "pid": .string(pid.description), "name": .string(parameter.name), "title": .string(parameter.title),
                "fields": .object(fields),
            ]
        )
    }

    private static func codes(_ codes: [DTC], _ service: Service) -> Explanation {
        let kind =
            switch service {
            case .pendingCodes: "pending"
            case .permanentCodes: "permanent"
            default: "stored"
            }
        return Explanation(
            lines: [codes.isEmpty ? "no \(kind) codes" : "\(kind): \(codes.map(\.description).joined(separator: " "))"],
            json: ["state": .string(kind), "codes": .array(codes.map { .string($0.description) })]
        )
    }

    private static func information(_ bytes: [UInt8], _ layout: MessageLayout) throws(OBD2.DecodingError) -> Explanation
    {
        guard bytes.count > 1, let type = InfoType(rawValue: bytes[1]) else {
            throw .wrongEcho(expected: [InfoType.vin.rawValue], actual: Array(bytes.dropFirst().prefix(1)))
        }
        let reply = try Reply(messages: [bytes], to: .vehicleInformation(type))
        let (name, value): (String, String)
        switch type {
        case .vin: (name, value) = ("vin", try VehicleInformation.vin(reply, layout: layout).description)
        case .calibrationIDs:
            (name, value) = (
                "calibration_ids", try VehicleInformation.calibrationIDs(reply, layout: layout).joined(separator: " ")
            )
        case .calibrationVerificationNumbers:
            (name, value) = (
                "calibration_verification_numbers",
                try VehicleInformation.calibrationVerificationNumbers(reply, layout: layout).joined(separator: " ")
            )
        case .ecuName: (name, value) = ("ecu_name", try VehicleInformation.ecuName(reply, layout: layout).name)
        default: (name, value) = ("info_type_\(type.rawValue)", "not decoded")
        }
        return Explanation(lines: ["\(name) = \(value)"], json: [name: .string(value)])
    }
}
