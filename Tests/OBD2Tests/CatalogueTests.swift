// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("The catalogue")
struct CatalogueTests {
    /// What the tables say otherwise than the catalogue: the notes of 55-58 make their second byte optional, those
    /// of A7 and A8 make the length uncertain.
    private static let lengths: [PID: ClosedRange<Int>?] = [
        0x55: 1...2, 0x56: 1...2, 0x57: 1...2, 0x58: 1...2, 0xA7: .some(nil), 0xA8: .some(nil),
    ]

    @Test("It has every row of the parameters' table, in order")
    func parameters() throws {
        #expect(Parameter.catalogue.count == Table.parameters.rows.count)
        #expect(Parameter.catalogue.count == 203)
        for (parameter, row) in zip(Parameter.catalogue, Table.parameters.rows) {
            #expect(parameter.pid.description == row["pid"])
            #expect(parameter.name == row["parameter"])
            #expect(parameter.title == row["name"])
            #expect(parameter.acronym == row["short"])
            #expect(String(describing: parameter.kind).lowercased() == (row["kind"] == "enum" ? "enumeration" : row["kind"]))
            #expect(parameter.vssPaths.joined(separator: "; ") == row["vss_path"])
            let length = Int(row["bytes"] ?? "").map { $0...$0 } ?? (row["bytes"] == "1(2)" ? 1...2 : nil)
            #expect(parameter.length == Self.lengths[parameter.pid] ?? length)
        }
        #expect(Parameter.catalogue.map(\.pid) == Parameter.catalogue.map(\.pid).sorted())
    }

    @Test("It has every row of the fields' table", arguments: Table.fields.rows)
    func fields(_ row: [String: String]) throws {
        let parameter = try #require(Parameter.named(row["parameter"] ?? ""))
        #expect(parameter.pid.description == row["pid"])
        let field = try #require(parameter.fields.first { $0.name == row["parameter"] })
        #expect(field.key == row["field"])
        #expect(String(field.byte) == row["byte"])
        #expect(String(field.msb) == row["msb"])
        #expect(String(field.bitLength) == row["length_bits"])
        #expect((field.signed ? "1" : "0") == row["signed"])
        #expect(String(field.multiplier) == row["mul"])
        #expect(String(field.divisor) == row["div"])
        #expect(String(field.addend) == row["add"])
        #expect(field.unit?.symbol ?? "" == row["unit"])
        #expect(field.supportBit.map { "A\($0)" } ?? "" == row["support_bit"])
    }

    @Test("Beyond the tables there are only the fields that the vectors ask for")
    func otherFields() {
        let known = Set(Table.fields.rows.compactMap { $0["parameter"] })
        let others = Parameter.catalogue.flatMap { $0.fields }.filter { !known.contains($0.name) }
        #expect(
            Set(others.map(\.key)) == ["supported", "ignition", "incomplete", "present", "dtc", "mil", "dtc_count", "compression"]
        )
        #expect(others.count == 7 + 3 + 6 + 1 + 2)
    }

    @Test("Every name is unique and made of lower case, digits and underscores")
    func names() {
        let fields = Parameter.catalogue.flatMap { parameter in parameter.fields.map { (parameter.pid, $0.name) } }
        #expect(Set(fields.map(\.1)).count == fields.count)
        var owners: [String: PID] = [:]
        for (pid, name) in Parameter.catalogue.map({ ($0.pid, $0.name) }) + fields {
            #expect(owners.updateValue(pid, forKey: name) ?? pid == pid)
            #expect(name.wholeMatch(of: /[a-z0-9_]+/) != nil)
        }
        for parameter in Parameter.catalogue {
            #expect(Set(parameter.fields.map(\.key)).count == parameter.fields.count)
        }
    }

    @Test(
        "A parameter is found by its name, a field's name and its number",
        arguments: ["o2_sensor_b1s1", "o2_sensor_b1s1_voltage", "14", "0114"]
    )
    func lookup(_ name: String) {
        #expect(Parameter.named(name)?.pid == 0x14)
    }

    @Test("What is not there is not found", arguments: ["", "0", "+1", "0914", "01140", "FF", "rpm", "14 "])
    func noLookup(_ name: String) {
        #expect(Parameter.named(name) == nil)
    }

    @Test("Only all ones of a quantity that cannot be so large are a sentinel")
    func sentinels() throws {
        for (pid, data) in [(0x0C, "FFFF"), (0x0D, "FF"), (0x05, "FF"), (0x42, "FFFF")] as [(PID, String)] {
            let parameter = try #require(Parameter.withPID(pid))
            #expect(parameter.isSentinel(bytes(data)))
            #expect(!parameter.isSentinel(bytes(data).dropLast() + [0xFE]))
            #expect(!parameter.isSentinel([]))
        }
        for pid in [0x04, 0x06, 0x0B, 0x11, 0x1F, 0x2F, 0x31, 0x32, 0x44, 0x54] as [PID] {
            let parameter = try #require(Parameter.withPID(pid))
            #expect(!parameter.isSentinel([UInt8](repeating: 0xFF, count: parameter.length?.upperBound ?? 1)))
        }
    }

    @Test("Imperial values are those of the table")
    func imperial() throws {
        var checked = 0
        for row in Table.parameters.rows {
            let parameter = try #require(Parameter.named(row["parameter"] ?? ""))
            let conversion = row["imperial_conversion"] ?? ""
            for field in parameter.fields where field.unit?.symbol == row["unit_si"] {
                let (value, unit) = try #require(field.imperial(100))
                #expect(unit.symbol == row["unit_imperial"])
                let expected: Double? =
                    switch conversion.prefix(2) {
                    case "x*": conversion == "x*9/5+32" ? 212 : Double(conversion.dropFirst(2)).map { 100 * $0 }
                    case "x/": Double(conversion.dropFirst(2)).map { 100 / $0 }
                    default: 100
                    }
                #expect(abs(value - (try #require(expected))) < 1e-9)
                checked += 1
            }
        }
        #expect(checked > 150)
    }
}
