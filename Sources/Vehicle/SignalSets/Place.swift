// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// A value of a JSON text, and where it stands: every error names the path and the value.
struct Place {
    let json: JSON
    let path: String

    func error(_ expected: String) -> SignalSetError {
        let found =
            switch self.json {
            case .string(let text): "\"\(text.prefix(bytes: 40))\""
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .bool(let value): "\(value)"
            case .null, .array, .object: self.json.kind
            }
        return .unexpected(path: self.path, expected: expected, found: found)
    }

    var members: [String: JSON] {
        get throws(SignalSetError) {
            guard case .object(let members) = self.json else { throw self.error("an object") }
            return members
        }
    }

    var elements: [Place] {
        get throws(SignalSetError) {
            guard case .array(let elements) = self.json else { throw self.error("an array") }
            return elements.enumerated().map { Place(json: $0.element, path: "\(self.path)[\($0.offset)]") }
        }
    }

    /// What stands under `key`; nil where nothing does.
    func optional(_ key: String) throws(SignalSetError) -> Place? {
        try self.members[key].map { Place(json: $0, path: "\(self.path).\(key)") }
    }

    func required(_ key: String) throws(SignalSetError) -> Place {
        guard let place = try self.optional(key) else {
            throw .unexpected(path: "\(self.path).\(key)", expected: "a value", found: "nothing")
        }
        return place
    }

    /// The keys that are none of `known`.
    func unknownKeys(_ known: Set<String>) throws(SignalSetError) -> [String] {
        try self.members.keys.filter { !known.contains($0) }.sorted()
    }

    var text: String {
        get throws(SignalSetError) {
            guard case .string(let text) = self.json else { throw self.error("a string") }
            return text
        }
    }

    var flag: Bool {
        get throws(SignalSetError) {
            guard case .bool(let flag) = self.json else { throw self.error("true or false") }
            return flag
        }
    }

    var number: Double {
        get throws(SignalSetError) {
            guard let number = self.json.double else { throw self.error("a number") }
            return number
        }
    }

    /// A whole number in `range`.
    func integer(in range: ClosedRange<Int>) throws(SignalSetError) -> Int {
        guard case .integer(let value) = self.json, let integer = Int(exactly: value), range.contains(integer) else {
            throw self.error("a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Hexadecimal digits, so many, in capitals.
    func digits(_ counts: ClosedRange<Int>) throws(SignalSetError) -> String {
        let text = try self.text
        guard counts.contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw self.error("\(counts.lowerBound) to \(counts.upperBound) hexadecimal digits")
        }
        return text.uppercased()
    }
}
