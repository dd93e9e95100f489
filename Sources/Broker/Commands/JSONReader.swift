// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// An error at a place in the JSON of a command, and the reason for the response.
struct JSONError: Error, Hashable, Sendable {
    var reason: CommandResponse.Reason
    var message: String
}

/// A strict reader of a JSON object; each error names the path and the expected value.
struct JSONReader: Sendable {
    /// The seconds from 1970 to the end of the year 9999.
    private static let dates = 0.0...253_402_300_799.0

    private let object: [String: JSON]
    let path: String

    init(_ object: [String: JSON], path: String) {
        self.object = object
        self.path = path
    }

    var keys: [String] { self.object.keys.sorted() }

    subscript(key: String) -> JSON? { self.object[key] }

    /// Throws an error if the object has any other key.
    func allow(_ keys: Set<String>) throws(JSONError) {
        guard let unknown = self.object.keys.filter({ !keys.contains($0) }).min() else { return }
        let known = keys.isEmpty ? "there are none here" : "known are \(keys.sorted().joined(separator: ", "))"
        throw JSONError(reason: .malformed, message: "\(self.path).\(unknown.prefix(bytes: 64)): unknown key; \(known)")
    }

    func error(_ key: String, _ expected: String) -> JSONError {
        let found = self.object[key].map { "found \(Self.shown($0))" } ?? "it is missing"
        return self.problem(key.prefix(bytes: 64), "expected \(expected); \(found)")
    }

    /// Returns the error that an element of the array under `key` is another than expected.
    func error(_ key: String, element index: Int, _ expected: String) -> JSONError {
        let element = self.object[key]?.elements.dropFirst(index).first ?? .null
        let found = element.string.map { JSON.string($0.prefix(bytes: 64)).text } ?? Self.shown(element)
        return self.problem("\(key.prefix(bytes: 64))[\(index)]", "expected \(expected); found \(found)")
    }

    /// Returns the error with a text of its own.
    func problem(_ place: String, _ text: String) -> JSONError {
        JSONError(reason: .malformed, message: "\(self.path).\(place): \(text)")
    }

    /// Returns the value where it is short, else its type; a string may be long or a secret.
    private static func shown(_ value: JSON) -> String {
        switch value {
        case .bool, .integer, .number: value.text
        case .array(let elements): elements.isEmpty ? "an empty array" : "an array of \(elements.count)"
        case .null, .string, .object: value.kind
        }
    }

    func string(_ key: String) throws(JSONError) -> String {
        guard case .string(let text) = self.object[key] else { throw self.error(key, "a string") }
        return text
    }

    func optionalString(_ key: String) throws(JSONError) -> String? {
        self.object[key] == nil ? nil : try self.string(key)
    }

    func optionalFlag(_ key: String) throws(JSONError) -> Bool? {
        guard let value = self.object[key] else { return nil }
        guard case .bool(let flag) = value else { throw self.error(key, "true or false") }
        return flag
    }

    func time(_ key: String) throws(JSONError) -> Timestamp {
        guard let time = Timestamp(try self.string(key)) else {
            throw self.error(key, "a time such as \"2026-11-21T10:00:00Z\"")
        }
        return time
    }

    /// Returns a date of a JSON Web Token: seconds since 1970 (RFC 7519 section 2, NumericDate).
    func date(_ key: String) throws(JSONError) -> Timestamp {
        guard let seconds = self.object[key]?.double, Self.dates.contains(seconds) else {
            throw self.error(key, "seconds since 1970 as a number")
        }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }

    func strings(_ key: String) throws(JSONError) -> [String] {
        guard case .array(let elements) = self.object[key] else { throw self.error(key, "an array of strings") }
        var strings: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                throw self.error(key, element: index, "a string")
            }
            strings.append(text)
        }
        return strings
    }

    func object(_ key: String) throws(JSONError) -> JSONReader {
        guard case .object(let object) = self.object[key] else { throw self.error(key, "an object") }
        return JSONReader(object, path: "\(self.path).\(key)")
    }

    /// Returns the object under `key`, or an empty one without that key.
    func optionalObject(_ key: String) throws(JSONError) -> JSONReader {
        self.object[key] == nil ? JSONReader([:], path: "\(self.path).\(key)") : try self.object(key)
    }

    func seconds(_ key: String, in range: ClosedRange<Double>) throws(JSONError) -> Duration {
        guard let seconds = self.object[key]?.double, range.contains(seconds) else {
            let bounds = "\(JSON.text(of: range.lowerBound)) to \(JSON.text(of: range.upperBound))"
            throw self.error(key, "a number of seconds from \(bounds)")
        }
        return .milliseconds(Int64((seconds * 1000).rounded()))
    }

    func optionalSeconds(_ key: String, in range: ClosedRange<Double>) throws(JSONError) -> Duration? {
        self.object[key] == nil ? nil : try self.seconds(key, in: range)
    }
}
