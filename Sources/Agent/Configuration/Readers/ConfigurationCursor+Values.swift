// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

extension ConfigurationCursor {
    // MARK: - Texts

    /// Returns the text of `key` with its variables replaced.
    mutating func text(_ key: Key) -> String? {
        self.text(at: key.path).flatMap { self.expand($0, key) }
    }

    /// Returns the text at `path` as it is written.
    mutating func text(at path: [String]) -> String? {
        switch self.value(at: path) {
        case nil, .text(""):
            return nil
        case .text(let text):
            return text
        case .some(let value):
            self.report(path, "expected a text in quotes, found \(value)")
            return nil
        }
    }

    /// Returns the list of texts of `key`, each with its index.
    mutating func texts(_ key: Key) -> [(text: String, element: Int?)]? {
        self.texts(at: key.path)?.compactMap { text, element in
            self.expand(text, key, element: element).map { ($0, element) }
        }
    }

    /// Returns the list of texts at `path` as they are written, each with its index.
    private mutating func texts(at path: [String]) -> [(text: String, element: Int?)]? {
        switch self.value(at: path) {
        case nil:
            return nil
        case .array(let elements):
            var texts: [(String, Int?)] = []
            for (index, element) in elements.enumerated() {
                if case .text(let text) = element.value {
                    texts.append((text, index))
                } else {
                    self.report(path, "expected a text in quotes, found \(element.value)", element: index)
                }
            }
            return texts
        case .some(let value):
            self.report(path, "expected a list of texts, found \(value)")
            return nil
        }
    }

    /// Returns the texts of `key`, which may be a list, each with its index, or a single text.
    mutating func textOrTexts(_ key: Key) -> [(text: String, element: Int?)] {
        if case .array = self.value(key) { return self.texts(key) ?? [] }
        return self.text(key).map { [($0, nil)] } ?? []
    }

    /// Returns the texts at `path` as they are written: a list, each with its index, or a single text.
    mutating func textOrTexts(at path: [String]) -> [(text: String, element: Int?)] {
        if case .array = self.value(at: path) { return self.texts(at: path) ?? [] }
        return self.text(at: path).map { [($0, nil)] } ?? []
    }

    private mutating func expand(_ text: String, _ key: Key, element: Int? = nil) -> String? {
        do throws(ValueError) {
            return try self.host.expand(text)
        } catch {
            self.report(key, error, element: element)
            return nil
        }
    }

    // MARK: - Values spelled as texts

    /// Returns the value that `parse` makes of the text of `key`.
    mutating func value<Value>(_ key: Key, _ parse: (String) throws(ValueError) -> Value) -> Value? {
        guard let text = self.text(key) else { return nil }
        do {
            return try parse(text)
        } catch {
            self.report(key, error)
            return nil
        }
    }

    /// Returns the case of `Word` that `key` names.
    mutating func word<Word>(_ key: Key) -> Word? where Word: RawRepresentable<String> & CaseIterable {
        self.value(key) { (text) throws(ValueError) in
            guard let word = Word(rawValue: text) else {
                throw .unknownWord(text, known: Word.allCases.map(\.rawValue))
            }
            return word
        }
    }

    /// Returns the absolute path of the file that `key` names.
    mutating func path(_ key: Key) -> String? {
        let host = self.host
        return self.value(key) { (text) throws(ValueError) in try host.path(text) }
    }

    // MARK: - Flags and numbers

    /// Returns the Boolean value of `key`.
    mutating func flag(_ key: Key) -> Bool? {
        self.flag(at: key.path)
    }

    /// Returns the Boolean value at `path`.
    mutating func flag(at path: [String]) -> Bool? {
        switch self.value(at: path) {
        case nil:
            return nil
        case .flag(let flag):
            return flag
        case .some(let value):
            self.report(path, "expected true or false, found \(value)")
            return nil
        }
    }

    /// Returns the Boolean value of `key`, and reports each file but the main one that sets it.
    mutating func mainFileFlag(_ key: Key) -> Bool? {
        for place in self.files.placesInOverlays(of: key.path) {
            let message = "is allowed only in the main file. Try: set it in \(self.files.mainFile)"
            self.report(
                ConfigurationError(file: place.file, line: place.line, key: keyName(key.path), message: message)
            )
        }
        return self.flag(key)
    }

    /// Returns the integer of `key`, if it is in `range`.
    mutating func integer(_ key: Key, in range: ClosedRange<Int64>) -> Int64? {
        self.integer(at: key.path, in: range)
    }

    /// Returns the integer at `path`, if it is in `range`.
    mutating func integer(at path: [String], in range: ClosedRange<Int64>) -> Int64? {
        switch self.value(at: path) {
        case nil:
            return nil
        case .integer(let value) where range.contains(value):
            return value
        case .integer(let value):
            self.report(path, "\(value) is out of range. Try: \(range.lowerBound) to \(range.upperBound)")
            return nil
        case .some(let value):
            self.report(path, "expected a whole number, found \(value)")
            return nil
        }
    }

    /// Returns the duration of `key`, a number of seconds in `range`, rounded to the millisecond.
    mutating func seconds(_ key: Key, in range: ClosedRange<Double>) -> Duration? {
        self.seconds(at: key.path, in: range)
    }

    /// Returns the duration at `path`, a number of seconds in `range`, rounded to the millisecond.
    mutating func seconds(at path: [String], in range: ClosedRange<Double>) -> Duration? {
        self.quantity(at: path, .seconds, in: range).map { .milliseconds(Int(($0 * 1000).rounded())) }
    }

    /// Returns the number of bytes that `key` gives in MiB.
    ///
    /// - Parameter allowsZero: whether 0, which stands for "none", is valid although it is not in `range`.
    mutating func mebibytes(_ key: Key, in range: ClosedRange<Double>, allowsZero: Bool = false) -> Int64? {
        self.quantity(at: key.path, .mebibytes, in: range, allowsZero: allowsZero).map { Int64($0 * 1_048_576) }
    }

    /// Returns the number of volts of `key`.
    ///
    /// - Parameter allowsZero: whether 0, which stands for "none", is valid although it is not in `range`.
    mutating func volts(_ key: Key, in range: ClosedRange<Double>, allowsZero: Bool = false) -> Double? {
        self.quantity(at: key.path, .volts, in: range, allowsZero: allowsZero)
    }

    /// Returns the number at `path`, if it is in `range`.
    mutating func number(at path: [String], in range: ClosedRange<Double> = -1e15...1e15) -> Double? {
        self.quantity(at: path, in: range)
    }

    private mutating func quantity(
        at path: [String],
        _ unit: QuantityUnit? = nil,
        in range: ClosedRange<Double>,
        allowsZero: Bool = false
    ) -> Double? {
        let number: Double
        switch self.value(at: path) {
        case nil, .text(""):
            return nil
        case .integer(let value):
            number = Double(value)
        case .number(let value):
            number = value
        case .some(let value):
            let expected = "a number" + (unit.map { " of \($0.rawValue)" } ?? "")
            self.report(path, "expected \(expected), found \(value)")
            return nil
        }
        if range.contains(number) || allowsZero && number == 0 { return number }
        let bounds = "\(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
        let advice = (allowsZero ? "0 for none, or " : "") + bounds
        let found = Self.short(number) + (unit.map { " \($0.symbol)" } ?? "")
        self.report(path, "\(found) is out of range. Try: \(advice)")
        return nil
    }

    private enum QuantityUnit: String {
        case seconds
        case mebibytes = "MiB"
        case volts

        var symbol: String {
            switch self {
            case .seconds: "s"
            case .mebibytes: "MiB"
            case .volts: "V"
            }
        }
    }

    /// Returns `10` instead of `10.0`.
    private static func short(_ value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
