// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML


extension ConfigurationReader {
    /// The text at `key`; empty counts as missing.
    mutating func text(_ key: Key) -> String? {
        switch self.found(key) {
        case nil, .text(""):
            return nil
        case .text(let text):
            return self.expand(text, key)
        case .some(let value):
            self.report(key.path, "expected a text in quotes, found \(value)")
            return nil
        }
    }

    /// The text with what its variables stand for.
    private mutating func expand(_ text: String, _ key: Key, element: Int? = nil) -> String? {
        do throws(ValueError) {
            return try self.host.expand(text)
        } catch {
            self.report(key, error, element: element)
            return nil
        }
    }

    /// The list of texts at `key`, each with its index.
    mutating func list(_ key: Key) -> [(text: String, element: Int?)]? {
        switch self.found(key) {
        case nil:
            return nil
        case .array(let elements):
            var texts: [(String, Int?)] = []
            for (index, element) in elements.enumerated() {
                if case .text(let text) = element.value {
                    if let text = self.expand(text, key, element: index) { texts.append((text, index)) }
                } else {
                    self.report(key.path, "expected a text in quotes, found \(element.value)", element: index)
                }
            }
            return texts
        case .some(let value):
            self.report(key.path, "expected a list of texts, found \(value)")
            return nil
        }
    }

    /// What `parse` makes of the text at `key`.
    mutating func value<Value>(_ key: Key, _ parse: (String) throws(ValueError) -> Value) -> Value? {
        guard let text = self.text(key) else { return nil }
        do {
            return try parse(text)
        } catch {
            self.report(key, error)
            return nil
        }
    }

    /// The word at `key`, out of those of `Word`.
    mutating func word<Word>(_ key: Key) -> Word? where Word: RawRepresentable<String> & CaseIterable {
        self.value(key) { (text) throws(ValueError) in
            guard let word = Word(rawValue: text) else {
                throw .unknownWord(text, known: Word.allCases.map(\.rawValue))
            }
            return word
        }
    }

    /// The absolute path of the file at `key`.
    mutating func path(_ key: Key) -> String? {
        let host = self.host
        return self.value(key) { (text) throws(ValueError) in try host.path(text) }
    }

    /// The truth value at `key`.
    mutating func flag(_ key: Key) -> Bool? {
        switch self.found(key) {
        case nil:
            return nil
        case .flag(let flag):
            return flag
        case .some(let value):
            self.report(key.path, "expected true or false, found \(value)")
            return nil
        }
    }

    /// The time in seconds at `path`, to the millisecond, if `value` is one and in `range`.
    mutating func seconds(_ value: Value, at path: [String], in range: ClosedRange<Double>) -> Duration? {
        let seconds: Double
        switch value {
        case .integer(let number):
            seconds = Double(number)
        case .number(let number):
            seconds = number
        default:
            self.report(path, "expected a number of seconds, found \(value)")
            return nil
        }
        guard range.contains(seconds) else {
            let bounds = "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
            self.report(path, "\(Self.short(seconds)) s is out of range; use \(bounds)")
            return nil
        }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }

    /// The bytes of so many MiB at `key`.
    ///
    /// - Parameter zeroIsNone: whether 0 counts as missing.
    mutating func mebibytes(_ key: Key, in range: ClosedRange<Double>, zeroIsNone: Bool = false) -> Int64? {
        let number: Double
        switch self.found(key) {
        case nil:
            return nil
        case .integer(let value):
            number = Double(value)
        case .number(let value):
            number = value
        case .some(let value):
            self.report(key.path, "expected a number of MiB, found \(value)")
            return nil
        }
        if zeroIsNone, number == 0 { return nil }
        guard range.contains(number) else {
            let bounds = "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
            let advice = (zeroIsNone ? "0 for none, or " : "") + bounds
            self.report(key.path, "\(Self.short(number)) MiB is out of range; use \(advice)")
            return nil
        }
        return Int64(number * 1_048_576)
    }

    /// `10` instead of `10.0`.
    private static func short(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
