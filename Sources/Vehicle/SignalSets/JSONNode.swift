// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// A value of a JSON document with its path, so that each error names both.
struct JSONNode {
    let json: JSON
    /// The path from the root, as in `$.commands[2].hdr`.
    let path: String

    /// Returns the error that this value is not `expected`.
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

    var elements: [JSONNode] {
        get throws(SignalSetError) {
            guard case .array(let elements) = self.json else { throw self.error("an array") }
            return elements.enumerated().map { JSONNode(json: $0.element, path: "\(self.path)[\($0.offset)]") }
        }
    }

    /// Returns the member `key`; nil if the object has none.
    func optional(_ key: String) throws(SignalSetError) -> JSONNode? {
        try self.members[key].map { JSONNode(json: $0, path: "\(self.path).\(key)") }
    }

    /// Returns the member `key`, or throws if the object has none.
    func required(_ key: String) throws(SignalSetError) -> JSONNode {
        guard let node = try self.optional(key) else {
            throw .unexpected(path: "\(self.path).\(key)", expected: "a value", found: "nothing")
        }
        return node
    }

    /// Returns the object's keys that are not in `known`, sorted.
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

    /// Returns the value as an integer in `range`, or throws.
    func integer(in range: ClosedRange<Int>) throws(SignalSetError) -> Int {
        guard case .integer(let value) = self.json, let integer = Int(exactly: value), range.contains(integer) else {
            throw self.error("an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }

    /// Returns the value in upper case if it is a string of hexadecimal digits, or throws.
    ///
    /// - Parameter counts: the allowed numbers of digits.
    func digits(_ counts: ClosedRange<Int>) throws(SignalSetError) -> String {
        let text = try self.text
        guard counts.contains(text.utf8.count), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            let range = "\(counts.lowerBound)" + (counts.count > 1 ? " to \(counts.upperBound)" : "")
            throw self.error("\(range) hexadecimal digits")
        }
        return text.uppercased()
    }
}
