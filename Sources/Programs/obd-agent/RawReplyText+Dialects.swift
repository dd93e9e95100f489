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
        maxima: inout [PID: [UInt8]]
    ) throws(OBD2.DecodingError) -> [Explanation]? {
        switch bytes.first {
        case 0x59:
            return [Self.codes(try UDSCodeReply.decode(bytes, wanted: CodeStatus(rawValue: 0xFF)))]
        case 0x62 where bytes.starts(with: [0x62, 0xF5, 0x01]):
            return [try Self.readiness(Array(bytes.dropFirst(3)))]
        case 0x62 where bytes.count > 3 && bytes[1] == 0xF4:
            return try Self.explain([0x41] + bytes.dropFirst(2), layout: .can, maxima: &maxima)
        case 0x62 where bytes.count > 3 && bytes[1] == 0xF8:
            let request = Request(service: .vehicleInformation, data: [bytes[2]])
            let reply = try Dialect.j1979Part2.j1979Reply(from: bytes, to: request)
            return try Self.explain(reply, layout: .can, maxima: &maxima)
        case 0x54 where bytes.count == 1:
            return [Explanation(lines: ["codes cleared"], json: ["service": "14"])]
        default:
            return try Self.group(bytes)
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

    /// Returns the meaning of a J1939 frame: four bytes of identifier, and the data.
    private static func group(_ bytes: [UInt8]) throws(OBD2.DecodingError) -> [Explanation]? {
        // The identifier is as on the bus, or without the priority; a reply of SAE J1979 begins with 41 to 4A.
        guard bytes.count > 4, bytes[0] & 0x40 == 0 || bytes[0] >= 0x60 else { return nil }
        let identifier = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        let pgn = PGN(rawValue: identifier >> 8)
        let data = Array(bytes.dropFirst(4))
        let source = bytes[3] < 16 ? "0\(String(bytes[3], radix: 16))" : String(bytes[3], radix: 16)
        if [PGN.activeCodes, .previouslyActiveCodes, .pendingCodes, .permanentCodes].contains(pgn) {
            let message = try DiagnosticMessage(data)
            var explanation = Self.codes(message.codes.map { .j1939($0.spn, $0.fmi) }, "codes")
            let lamp = message.lamps.malfunctionIndicator.map { $0 ? "on" : "off" } ?? "unknown"
            explanation.lines.insert("\(pgn) from \(source.uppercased()): warning lamp \(lamp)", at: 0)
            return [explanation]
        }
        guard let group = ParameterGroup.withPGN(pgn) else { return nil }
        let values = group.decode(data)
        return [
            Explanation(
                lines: ["\(pgn)  \(group.title), from \(source.uppercased())"]
                    + values.map { value in
                        let unit = value.field.unit.map { " \($0.symbol)" } ?? ""
                        return "    \(value.field.name) = \(value.value.text)\(unit)"
                    },
                json: [
                    "pgn": .string(pgn.description), "title": .string(group.title),
                    "fields": .object(
                        Dictionary(values.map { ($0.field.name, JSONOutput.json($0.value)) }) { first, _ in first }
                    ),
                ]
            )
        ]
    }
}
