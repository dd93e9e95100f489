// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("The catalogue")
struct CatalogueTests {
    /// Returns the length by the table's cell and its notes.
    ///
    /// The notes make the second byte of 55-58 optional and the length of A7 and A8 uncertain.
    private static func length(_ pid: PID, _ cell: String) -> ClosedRange<Int>? {
        switch pid {
        case 0x55, 0x56, 0x57, 0x58: 1...2
        // An older edition has five bytes.
        case 0x83: 5...9
        case 0xA7, 0xA8: nil
        default: cell == "1(2)" ? 1...2 : Int(cell).map { $0...$0 }
        }
    }

    @Test("The catalogue has every row of the parameter table, in order")
    func parameters() throws {
        #expect(Parameter.catalogue.count == Table.parameters.rows.count)
        #expect(Parameter.catalogue.count == 203)
        for (parameter, row) in zip(Parameter.catalogue, Table.parameters.rows) {
            #expect(parameter.pid.description == row["pid"])
            #expect(parameter.name == row["parameter"])
            #expect(parameter.title == row["name"])
            #expect(parameter.acronym == row["short"])
            let kind = String(describing: parameter.kind).lowercased()
            #expect(kind == (row["kind"] == "enum" ? "enumeration" : row["kind"]))
            #expect(parameter.vssPaths.joined(separator: "; ") == row["vss_path"])
            #expect(parameter.length == Self.length(parameter.pid, row["bytes"] ?? ""))
        }
        #expect(Parameter.catalogue.map(\.pid) == Parameter.catalogue.map(\.pid).sorted())
    }

    @Test("The catalogue has every row of the field table", arguments: Table.fields.rows)
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

    @Test("The fields beyond the tables are those that the vectors need")
    func otherFields() {
        let known = Set(Table.fields.rows.compactMap { $0["parameter"] })
        let others = Parameter.catalogue.flatMap { $0.fields }.filter { !known.contains($0.name) }
        let status = ["ignition", "supported", "incomplete"]
        let cycle = ["compression"] + status
        let bitmaps = [String](repeating: "supported", count: 7)
        #expect(others.map(\.key).sorted() == (bitmaps + status + cycle + ["dtc", "present", "present"]).sorted())
    }

    @Test("Every name is unique and has only lower case letters, digits and underscores")
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
        "A parameter is found by its name, by a field's name and by its PID",
        arguments: ["o2_sensor_b1s1", "o2_sensor_b1s1_voltage", "14", "0114"]
    )
    func lookup(_ name: String) {
        #expect(Parameter.named(name)?.pid == 0x14)
    }

    @Test("Other texts find no parameter", arguments: ["", "0", "+1", "0914", "01140", "FF", "rpm", "14 "])
    func noLookup(_ name: String) {
        #expect(Parameter.named(name) == nil)
    }

    @Test("All ones are a sentinel only for a quantity that cannot be that large")
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

    @Test("Imperial values equal those of the table")
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
