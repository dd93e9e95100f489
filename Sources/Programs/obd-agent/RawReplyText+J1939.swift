// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Contract
import OBD2

/// The meaning of the messages of SAE J1939.
extension RawReplyText {
    /// Returns the meaning of a J1939 message: four bytes of identifier, and the data; nil for a group without a name.
    static func group(
        _ bytes: [UInt8],
        context: inout ReplyContext
    ) throws(OBD2.DecodingError) -> [Explanation]? {
        // The identifier is as on the bus, or without the priority; a reply of SAE J1979 begins with 41 to 4A.
        guard bytes.count > 4, bytes[0] & 0x40 == 0 || bytes[0] >= 0x60 else { return nil }
        let group = PGN(identifier: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        guard let title = group.title else { return nil }
        let source = bytes[3]
        let data = Array(bytes.dropFirst(4))
        if group == .supportedSPNs { context.frameLayouts[source] = try SupportedSPNs(data) }
        let content = try Self.content(group, data, context.frameLayouts[source])
        guard case .object(let fields) = content.json else { return nil }
        let common: [String: JSON] = [
            "pgn": .string(group.description), "title": .string(title), "source": .string(source.hexadecimal),
        ]
        return [
            Explanation(
                lines: ["\(group)  \(title), from \(source.hexadecimal)"] + content.lines.map { "    \($0)" },
                json: .object(common.merging(fields) { own, _ in own })
            )
        ]
    }

    private static func content(
        _ group: PGN,
        _ data: [UInt8],
        _ layout: SupportedSPNs?
    ) throws(OBD2.DecodingError) -> Explanation {
        switch group {
        case .activeCodes, .previouslyActiveCodes, .pendingCodes, .permanentCodes:
            return Self.codes(try DiagnosticMessage(data))
        case .readiness: return Self.readiness(try ReadinessMessage(data))
        case .tripReadiness:
            var content = Self.values(group, data)
            content.append(Self.monitors(try MonitorReadiness(data)))
            return content
        case .calibrations:
            return Self.list("calibrations", try CalibrationMessage(data).calibrations) { calibration in
                let number = calibration.verificationNumber.hexadecimal
                return (
                    ["\(calibration.identification)  \(number)"],
                    ["id": .string(calibration.identification), "verification_number": .string(number)]
                )
            }
        case .performance: return Self.performance(try PerformanceMessage(data))
        case .supportedSPNs: return Self.list("parameters", try SupportedSPNs(data).entries, Self.support)
        case .freezeFrames:
            return Self.list("freeze_frames", try ExpandedFreezeFrames(data).frames) { Self.frame($0, layout) }
        case .testResults: return Self.list("results", try ScaledTestResult.decode(data), Self.result)
        case .codeCounts: return Self.counts(try CodeCounts(data))
        case .engineFamily:
            let family = try EngineFamily(data)
            return Self.fields([
                ("model_year", .integer(Int64(family.modelYear))), ("model_year_of", .string("\(family.subject)")),
                ("engine_family", .string(family.name)),
            ])
        case .individualClear:
            let clear = try IndividualClear(data)
            return Self.fields([
                ("code", .string(TroubleCode.j1939(clear.spn, clear.fmi).description)),
                ("kind", clear.kind.map { .string("\($0)") } ?? .null),
                ("reason", clear.reason.map { .string("\($0)") } ?? .null),
            ])
        case .acknowledgment:
            let answer = try Acknowledgment(data)
            return Self.fields([
                ("outcome", answer.outcome.map { .string("\($0)") } ?? .null), ("group", Self.name(answer.group)),
                ("requester", answer.requester.map { .string($0.hexadecimal) } ?? .null),
            ])
        case .request:
            guard data.count >= 3 else { throw .wrongLength(expected: 3...8, actual: data.count) }
            return Self.fields([("group", Self.name(PGN(littleEndian: data[0...2])))])
        case .vehicleIdentification: return Self.fields([("vin", .string(try J1939Text.vin(data).description))])
        case .componentIdentification:
            let names = ["make", "model", "serial_number", "unit_number"]
            return Self.fields(zip(names, J1939Text.component(data)).map { ($0, .string($1)) })
        default: return Self.values(group, data)
        }
    }

    // MARK: - Content

    private static func codes(_ message: DiagnosticMessage) -> Explanation {
        var content = Self.codes(message.codes.map { .j1939($0.spn, $0.fmi) }, "codes")
        let lamps = [
            ("malfunction indicator", message.lamps.malfunctionIndicator), ("red stop", message.lamps.redStop),
            ("amber warning", message.lamps.amberWarning), ("protect", message.lamps.protect),
        ]
        content.lines.insert(
            "lamps: " + lamps.map { "\($0) \($1.map { $0 ? "on" : "off" } ?? "unknown")" }.joined(separator: ", "),
            at: 0
        )
        let members = lamps.map { ($0.replacing(" ", with: "_"), $1.map(JSON.bool) ?? .null) }
        content.append(
            Explanation(lines: [], json: ["lamps": .object(Dictionary(members) { first, _ in first })])
        )
        return content
    }

    private static func readiness(_ message: ReadinessMessage) -> Explanation {
        var content = Self.fields([
            ("active_codes", Self.number(message.activeCodes)),
            ("previously_active_codes", Self.number(message.previouslyActiveCodes)),
            ("compliance", Self.number(message.compliance.map(Int.init))),
        ])
        if let readiness = message.readiness { content.append(Self.monitors(readiness)) }
        return content
    }

    private static func monitors(_ readiness: MonitorReadiness) -> Explanation {
        let states = readiness.supported.sorted { $0.rawValue < $1.rawValue }.map { monitor in
            (monitor.rawValue, readiness.incomplete.contains(monitor) ? "incomplete" : "complete")
        }
        return Explanation(
            lines: states.map { "\($0) = \($1)" },
            json: ["monitors": .object(Dictionary(states.map { ($0, .string($1)) }) { first, _ in first })]
        )
    }

    private static func performance(_ message: PerformanceMessage) -> Explanation {
        var content = Self.fields([
            ("ignition_cycles", Self.number(message.ignitionCycles)),
            ("monitoring_conditions", Self.number(message.monitoringConditions)),
        ])
        content.append(
            Self.list("monitors", message.ratios) { ratio in
                let counts = [ratio.completions, ratio.conditions].map { $0.map(String.init) ?? "unknown" }
                return (
                    ["\(Self.title(ratio.monitor)): \(counts.joined(separator: " of "))"],
                    [
                        "spn": .integer(Int64(ratio.monitor.rawValue)), "completions": Self.number(ratio.completions),
                        "conditions": Self.number(ratio.conditions),
                    ]
                )
            }
        )
        return content
    }

    private static func support(_ entry: SupportedSPNs.Entry) -> ([String], [String: JSON]) {
        let uses = [
            (entry.isInDataStream, "data_stream"), (entry.isInFreezeFrame, "freeze_frame"),
            (entry.hasTestResults, "test_results"), (entry.hasFaultData, "fault_data"),
        ].filter(\.0).map(\.1)
        return (
            ["\(Self.title(entry.spn)): \(uses.joined(separator: ", "))"],
            [
                "spn": .integer(Int64(entry.spn.rawValue)), "uses": .array(uses.map(JSON.string)),
                "bytes": .integer(Int64(entry.length)),
            ]
        )
    }

    private static func frame(
        _ frame: ExpandedFreezeFrames.Frame,
        _ layout: SupportedSPNs?
    ) -> ([String], [String: JSON]) {
        let code = TroubleCode.j1939(frame.code.spn, frame.code.fmi).description
        guard let values = layout.flatMap({ frame.values(by: $0) }) else {
            let data = frame.data.hexadecimal
            return ([code, "    \(data)"], ["code": .string(code), "data": .string(data)])
        }
        var lines = [code]
        var fields: [JSON] = []
        for (spn, bytes) in values {
            let value = ParameterGroup.signal(spn)?.value(in: bytes)
            let unit = value?.field.unit.map { " \($0.symbol)" } ?? ""
            lines.append("    \(Self.title(spn)) = \(value.map { "\($0.value.text)\(unit)" } ?? bytes.hexadecimal)")
            fields.append([
                "spn": .integer(Int64(spn.rawValue)), "data": .string(bytes.hexadecimal),
                "value": value.map { JSONOutput.json($0.value) } ?? .null,
                "unit": value?.field.unit.map { .string($0.symbol) } ?? .null,
            ])
        }
        return (lines, ["code": .string(code), "values": .array(fields)])
    }

    private static func result(_ result: ScaledTestResult) -> ([String], [String: JSON]) {
        let scale = result.scale
        func scaled(_ word: UInt16?) -> Double? { word.map { scale?.scaled($0) ?? Double($0) } }
        let value = [.passed, .failed].contains(result.verdict) ? scaled(result.words.value) : nil
        let (minimum, maximum) = (scaled(result.minimum), scaled(result.maximum))
        func text(_ number: Double?) -> String { number.map { DecodedValue.number($0).text } ?? "" }
        let unit = scale.map { $0.unit.map { " \($0)" } ?? "" } ?? " in SLOT \(result.slot)"
        let code = TroubleCode.j1939(result.spn, result.fmi)
        return (
            [
                "\(code)  \(Self.title(result.spn))",
                "    \(value.map { text($0) + unit } ?? "no value") (\(text(minimum)) … \(text(maximum))) "
                    + result.verdict.rawValue,
            ],
            [
                "test": .integer(Int64(result.test)), "spn": .integer(Int64(result.spn.rawValue)),
                "fmi": .integer(Int64(result.fmi.rawValue)), "slot": .integer(Int64(result.slot)),
                "value": value.map(JSON.number) ?? .null, "minimum": minimum.map(JSON.number) ?? .null,
                "maximum": maximum.map(JSON.number) ?? .null, "unit": scale?.unit.map(JSON.string) ?? .null,
                "verdict": .string(result.verdict.rawValue),
            ]
        )
    }

    private static func counts(_ counts: CodeCounts) -> Explanation {
        Self.fields([
            ("pending", Self.number(counts.pending)), ("all_pending", Self.number(counts.allPending)),
            ("lamp_on", Self.number(counts.lampOn)), ("previously_lamp_on", Self.number(counts.previouslyLampOn)),
            ("permanent", Self.number(counts.permanent)),
        ])
    }

    /// Returns the values of a group of the catalogue.
    private static func values(_ group: PGN, _ data: [UInt8]) -> Explanation {
        let values = ParameterGroup.withPGN(group)?.decode(data) ?? []
        return Explanation(
            lines: values.map { value in
                let unit = value.field.unit.map { " \($0.symbol)" } ?? ""
                return "\(value.field.name) = \(value.value.text)\(unit)"
            },
            json: [
                "fields": .object(
                    Dictionary(values.map { ($0.field.name, JSONOutput.json($0.value)) }) { first, _ in first }
                )
            ]
        )
    }

    // MARK: - Forms

    private static func fields(_ fields: [(String, JSON)]) -> Explanation {
        Explanation(
            lines: fields.map { name, value in
                switch value {
                case .null: "\(name) unknown"
                case .string(let text): "\(name) = \(text)"
                case .integer(let number): "\(name) = \(number)"
                default: "\(name) = \(value)"
                }
            },
            json: .object(Dictionary(fields) { first, _ in first })
        )
    }

    private static func list<Item>(
        _ name: String,
        _ items: [Item],
        _ explain: (Item) -> ([String], [String: JSON])
    ) -> Explanation {
        let explained = items.map(explain)
        return Explanation(
            lines: items.isEmpty ? ["none"] : explained.flatMap(\.0),
            json: [name: .array(explained.map { .object($0.1) })]
        )
    }

    private static func number(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }

    private static func title(_ spn: SPN) -> String { "SPN \(spn)" + (spn.name.map { ", \($0)" } ?? "") }

    private static func name(_ group: PGN) -> JSON { .string("\(group)" + (group.title.map { ", \($0)" } ?? "")) }
}

extension Explanation {
    /// Adds the lines and the members of another part of the same message.
    fileprivate mutating func append(_ other: Explanation) {
        self.lines += other.lines
        guard case .object(let own) = self.json, case .object(let others) = other.json else { return }
        self.json = .object(own.merging(others) { own, _ in own })
    }
}
