// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import OBD2
import Testing

/// A row of pid_vectors.csv.
struct Vector: Sendable, CustomTestStringConvertible {
    let pid: PID
    let data: [UInt8]
    let field: String
    let expected: String
    let tolerance: Double
    let testDescription: String

    static let all: [Vector] = Table.vectors.rows.compactMap { row in
        guard let pid = bytes(row["pid"] ?? "").first, let field = row["field"], let expected = row["expected"] else {
            return nil
        }
        let digits = row["data_hex"] ?? ""
        return Vector(
            pid: PID(rawValue: pid),
            data: bytes(digits),
            field: field,
            expected: expected,
            tolerance: Double(row["tolerance"] ?? "") ?? 0,
            testDescription: "\(PID(rawValue: pid)) \(digits) \(field) = \(expected)"
        )
    }
}

@Suite("The table of test vectors")
struct VectorTests {
    @Test("The table is complete")
    func count() {
        #expect(Vector.all.count == 557)
    }

    @Test("Every value equals that of the table", arguments: Vector.all)
    func decodes(_ vector: Vector) throws {
        let parameter = try #require(Parameter.withPID(vector.pid))
        let value = try parameter.decode(vector.data).first { $0.field.key == vector.field }?.value
        switch value {
        case nil:
            #expect(vector.expected == "absent")
            #expect(parameter.fields.contains { $0.key == vector.field })
        case .number(let number):
            let expected = try #require(Double(vector.expected))
            #expect(abs(number - expected) <= vector.tolerance)
        case .flag(let flag):
            #expect(String(flag) == vector.expected)
        case .code(let code, _):
            #expect(String(code) == vector.expected)
        case .text(let text):
            #expect(text == vector.expected)
        case .names(let names):
            #expect(names.joined(separator: " ") == vector.expected)
        }
    }

    @Test("Decoded values survive encoding and decoding", arguments: Vector.all)
    func roundTrip(_ vector: Vector) throws {
        let parameter = try #require(Parameter.withPID(vector.pid))
        let values = try parameter.decode(vector.data)
        let keyed = Dictionary(uniqueKeysWithValues: values.map { ($0.field.key, $0.value) })
        let data = try #require(parameter.encode(keyed))
        #expect(try parameter.decode(data) == values)
        if values.count == 1, parameter.fields.count == 1, parameter.fields[0].bitLength == 8 * vector.data.count {
            #expect(data == vector.data)
        }
    }
}
