// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials

/// What comes as JSON, whatever it says.
extension Fuzzer {
    private static let depthLimit = 16

    /// A JSON text: what is read of it is what another reader reads, and what is read back from its own text.
    static func json(_ input: [UInt8]) {
        guard let json = try? JSON(parsing: input, depthLimit: Self.depthLimit) else { return }
        precondition(Self.isBounded(json), "\(json)")
        if let theirs = try? JSONDecoder().decode(Value.self, from: Data(input)) {
            precondition(theirs == Value(json), "\(json), but theirs \(theirs)")
        } else {
            // The other reader takes a zero that has an exponent for a number that is too small.
            precondition("\(json)".contains("number(0.0)") || "\(json)".contains("number(-0.0)"), "\(json)")
        }
        guard let text = try? JSONEncoder().encode(json),
            let again = try? JSON(parsing: Array(text), depthLimit: Self.depthLimit)
        else { preconditionFailure("\(json) is not read again") }
        precondition(Value(again) == Value(json), "\(json), and again \(again)")
    }
}

extension Fuzzer {
    /// Whether every text may be hashed, and every key is short.
    static func isBounded(_ json: JSON) -> Bool {
        switch json {
        case .null, .bool, .integer, .number: true
        case .string(let text): text.isStreamSafe
        case .array(let values): values.allSatisfy(Self.isBounded)
        case .object(let members):
            members.allSatisfy { key, value in
                key.utf8.count <= JSON.keyLimit && key.isStreamSafe && Self.isBounded(value)
            }
        }
    }
}

/// A JSON value without a difference between 1, 1.0 and 1e0, and with texts that are equal only byte by byte.
private enum Value: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string([UInt8])
    case array([Value])
    case object([[UInt8]: Value])

    init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(Double(value))
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(Array(value.utf8))
        case .array(let values): self = .array(values.map(Value.init))
        case .object(let members):
            self = .object(members.reduce(into: [:]) { $0[Array($1.key.utf8)] = Value($1.value) })
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(Array(value.utf8))
        } else if let values = try? container.decode([Value].self) {
            self = .array(values)
        } else if let members = try? container.decode([String: Value].self) {
            self = .object(members.reduce(into: [:]) { $0[Array($1.key.utf8)] = $1.value })
        } else {
            self = .number(try container.decode(Double.self))
        }
    }
}
