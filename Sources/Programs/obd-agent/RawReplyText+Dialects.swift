// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Contract
import OBD2

extension RawReplyText {
    /// Returns the meaning of a reply of OBD on UDS, or of a J1939 frame with its identifier; nil for anything else.
    static func otherDialect(
        _ bytes: [UInt8],
        context: inout ReplyContext
    ) throws(OBD2.DecodingError) -> [Explanation]? {
        switch bytes.first {
        case 0x59:
            return [Self.codes(try UDSCodeReply.decode(bytes, wanted: CodeStatus(rawValue: 0xFF)))]
        case 0x62 where bytes.starts(with: [0x62, 0xF5, 0x01]):
            return [try Self.readiness(Array(bytes.dropFirst(3)))]
        case 0x62 where bytes.count > 3 && bytes[1] == 0xF4:
            return try Self.decoded([0x41] + bytes.dropFirst(2), layout: .can, context: &context)
        case 0x62 where bytes.count > 3 && bytes[1] == 0xF8:
            let request = Request(service: .vehicleInformation, data: [bytes[2]])
            guard let reply = UDSRequest.j1979Reply(from: bytes, to: request) else {
                guard let size = UDSRequest.itemSize(of: InfoType(rawValue: bytes[2])) else {
                    throw .wrongEcho(expected: [InfoType.vin.rawValue], actual: [bytes[2]])
                }
                let whole = 3 + size * max(1, (bytes.count - 3 + size - 1) / size)
                throw .wrongLength(expected: whole...whole, actual: bytes.count)
            }
            return try Self.decoded(reply, layout: .can, context: &context)
        case 0x54 where bytes.count == 1:
            return [Explanation(lines: ["codes cleared"], json: ["service": "14"])]
        default:
            return try Self.group(bytes, context: &context)
        }
    }

    /// Returns the meaning of codes with their severity.
    private static func codes(_ reply: CodeRecords) -> Explanation {
        var explanation = Explanation(lines: [reply.records.isEmpty ? "no codes" : "codes:"], json: .null)
        var codes: [JSON] = []
        for record in reply.records {
            let action = record.severity.action.map(CodesReport.Severity.init)
            let malfunctionClass = record.severity.malfunctionClass
            explanation.lines += record.code.lines.map { "  \($0)" }
            if let action { explanation.lines.append("    severity: \(action.phrase)") }
            if let malfunctionClass { explanation.lines.append("    class: \(malfunctionClass)") }
            guard case .object(var code) = Self.code(record.code).json else { continue }
            code["severity"] = action.map { .string($0.rawValue) } ?? .null
            code["severity_class"] = malfunctionClass.map { .integer(Int64($0)) } ?? .null
            codes.append(.object(code))
        }
        explanation.json = ["state": .null, "codes": .array(codes)]
        return explanation
    }

    /// Returns the meaning of the readiness of OBD on UDS.
    private static func readiness(_ data: [UInt8]) throws(OBD2.DecodingError) -> Explanation {
        let status = try MonitorStatus(data: data)
        let monitors = status.monitors.filter(\.supported)
        return Explanation(
            lines: ["readiness: warning lamp \(status.mil ? "on" : "off"), \(status.codeCount) codes"]
                + monitors.map { "    \($0.monitor.rawValue) = \($0.complete ? "complete" : "incomplete")" },
            json: [
                "mil": .bool(status.mil), "code_count": .integer(Int64(status.codeCount)),
                "monitors": .object(
                    Dictionary(monitors.map { ($0.monitor.rawValue, .string($0.complete ? "complete" : "incomplete")) })
                    { first, _ in first }
                ),
            ]
        )
    }
}
