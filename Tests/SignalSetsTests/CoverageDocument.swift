// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

@testable import OBD2
@testable import SignalSets

/// The text of `docs/coverage.md`, made from the tables of the code.
struct CoverageDocument {
    /// The models of a local catalog with the counts of their sets; nil leaves the counts out.
    var models: [(entry: SignalCatalog.Entry, commands: Int, signals: Int)]?

    var text: String {
        let sections = [
            Self.head, Self.services, Self.parameters, Self.information, Self.monitors, Self.codes, Self.uds,
            Self.trucks,
            self.modelSection,
        ]
        return sections.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private static let head = [
        "# Coverage",
        "",
        "The data that the agent can read and explain, as its tables have it. A test makes this page and compares it;",
        "`COVERAGE_DOCUMENT=docs/coverage.md scripts/test CoverageTests` writes it anew.",
    ]

    /// Returns the lines of a table.
    private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |" }
    }

    /// Returns numbers in hexadecimal, with ranges: `95-97, A1`.
    private static func ranges(_ numbers: some Sequence<Int>) -> String {
        var ranges: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { range in
            let bounds = range.count == 1 ? [range.lowerBound] : [range.lowerBound, range.upperBound]
            return bounds.map { UInt8(truncatingIfNeeded: $0).hexadecimal }.joined(separator: "-")
        }
        .joined(separator: ", ")
    }

    /// Returns a name in camel case as words: `ECU name message count` of `ecuNameMessageCount`.
    private static func words(_ name: String) -> String {
        let letters = Array(name)
        var words = [""]
        for (index, letter) in letters.enumerated() {
            let next = letters.dropFirst(index + 1).first
            // A capital begins a word behind a small letter, and behind an acronym: the M of `IDMessage`.
            let endsAcronym =
                letters.prefix(index).last?.isUppercase == true && next?.isLowercase == true && next != "s"
            if letter.isUppercase, letters.prefix(index).last?.isLowercase == true || endsAcronym { words.append("") }
            words[words.count - 1].append(letter)
        }
        return words.map { word in
            if word == "vin" || word == "ecu" { return word.uppercased() }
            return word.dropFirst().contains(where: \.isUppercase) ? word : word.lowercased()
        }
        .joined(separator: " ")
    }

    // MARK: - SAE J1979

    private static var services: [String] {
        let rows = Service.allCases.map { [$0.rawValue.hexadecimal, Self.words("\($0)")] }
        return ["## Services of SAE J1979", ""] + Self.table(["service", "what"], rows)
    }

    private static var parameters: [String] {
        let bitmaps = Set(stride(from: 0x00, through: 0xE0, by: 0x20))
        let known = Parameter.catalogue.filter { !$0.fields.isEmpty && !bitmaps.contains(Int($0.pid.rawValue)) }
        let named = Parameter.catalogue.filter(\.fields.isEmpty)
        let listed = Set(Parameter.catalogue.map { Int($0.pid.rawValue) })
        let values = known.reduce(0) { $0 + $1.fields.count }
        let unknown = (0...0xFF).filter { !listed.contains($0) && !bitmaps.contains($0) }
        let rows = known.map { ["\($0.pid)", $0.title, "\($0.fields.count)"] }
        return [
            "## PIDs of service 01", "",
            "The agent decodes \(known.count) of the PIDs of SAE J1979-DA, with \(values) values. "
                + "`obd-agent parameters list` has the names and units.",
            "",
            "* Known by name only: "
                + Self.ranges(named.map { Int($0.pid.rawValue) }.filter { !bitmaps.contains($0) }),
            "* Bitmaps of the PIDs that an ECU has: \(Self.ranges(bitmaps.sorted()))",
            "* Not in the tables: \(Self.ranges(unknown))", "",
        ] + Self.table(["PID", "what", "values"], rows)
    }

    private static var information: [String] {
        let rows = InfoType.allCases.map { [$0.rawValue.hexadecimal, Self.words("\($0)")] }
        return ["## InfoTypes of service 09", ""] + Self.table(["InfoType", "what"], rows)
    }

    private static var monitors: [String] {
        let ids = (0...0xFF).map { MonitorID(rawValue: UInt8($0)) }
        let named = ids.filter { $0.name != nil }.map { Int($0.rawValue) }
        let scalings = (0...0xFF).filter { UnitAndScaling.withID(UInt8($0)) != nil }
        return [
            "## Monitors of service 06", "",
            "* \(named.count) monitors have a name: \(Self.ranges(named))",
            "* \(scalings.count) units and scalings are known: \(Self.ranges(scalings))",
        ]
    }

    // MARK: - Codes

    private static var codes: [String] {
        var counts: [DTC.Group?: Int] = [:]
        var letters: [Character: Int] = [:]
        for number in 1...UInt16.max {
            let code = DTC(rawValue: number)
            guard code.meaning != nil, let letter = code.description.first else { continue }
            counts[code.group, default: 0] += 1
            letters[letter, default: 0] += 1
        }
        let all = counts.values.reduce(0, +)
        let parts = (["P", "C", "B", "U"] as [Character]).map { "\(letters[$0] ?? 0) \($0)" }.joined(separator: ", ")
        let rows =
            DTC.Group.allCases.map { [$0.title, "\(counts[$0] ?? 0)"] }
            + (counts[nil].map { [["no group", "\($0)"]] } ?? [])
        let types = (0...UInt8.max).filter { FailureType.meaning(of: $0) != nil }
        let spns = (0...UInt32(0x7_FFFF)).count { SPN(rawValue: $0).name != nil }
        return [
            "## Descriptions of codes", "",
            "\(all) codes of SAE J2012 have a description: \(parts). \(types.count) failure types of UDS codes and "
                + "\(spns) SPNs of SAE J1939 have one too.", "",
        ] + Self.table(["group", "codes"], rows)
    }

    // MARK: - Other dialects

    private static var uds: [String] {
        let requests: [(String, UDSRequest)] = [
            ("a parameter, here PID 0C", .data(0xF40C)), ("vehicle information, here InfoType 02", .data(0xF802)),
            ("lamp, count of codes and readiness", .readiness), ("stored codes", .codes(.confirmed)),
            ("stored codes of ECUs without functional groups", .ungroupedCodes(.confirmed)),
            ("pending codes", .codes(.pending)), ("permanent codes", .permanentCodes), ("clear", .clearCodes),
        ]
        let rows = requests.map { [$0, $1.payload.map(\.hexadecimal).joined(separator: " ")] }
        return ["## OBD on UDS (SAE J1979-2)", ""] + Self.table(["what", "request"], rows)
    }

    private static var trucks: [String] {
        let groups = ParameterGroup.all.map { group in
            let names = group.signals.map { "\($0.field.name) (\($0.spn))" }.joined(separator: ", ")
            return ["\(group.pgn)", group.title + (group.interval == nil ? ", on request" : ""), names]
        }
        return ["## SAE J1939", ""]
            + Self.table(["PGN", "what", "values (SPN)"], PGN.named.map { ["\($0.group)", $0.title, ""] } + groups)
    }

    // MARK: - Models

    var modelSection: [String] {
        let makes = VIN.knownMakes
        let section = [
            "## Makes and models", "",
            "The agent knows \(makes.count) makes by the first three characters of a VIN.", "",
            "Signal sets of models are data of their own, which a local catalog has; see",
            "[add-custom-parameter.md](tasks/add-custom-parameter.md#import-the-set-of-a-model). The command",
            "`obd-agent parameters models --counts` prints what the catalog of a machine has.",
        ]
        guard let models = self.models else { return section }
        var rows: [[String]] = []
        var rest = models[...]
        while let make = rest.first?.entry.make {
            let own = rest.prefix { $0.entry.make == make }
            rest = rest.dropFirst(own.count)
            let (commands, signals) = own.reduce((0, 0)) { ($0.0 + $1.commands, $0.1 + $1.signals) }
            rows.append([make, "\(own.count { $0.entry.model != nil })", "\(commands)", "\(signals)"])
        }
        return section + [""] + Self.table(["make", "models", "requests", "signals"], rows)
    }
}
