// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import TOML

/// Reads the tables `[custom.NAME]` of the configuration or of one set.
enum CustomTableReader {
    /// Returns the valid custom parameters.
    ///
    /// - Parameter allowsAnyHeader: whether a request header may lie outside of the diagnostic addresses.
    static func read(allowsAnyHeader: Bool, _ cursor: inout ConfigurationCursor) -> [CustomEntry] {
        var entries: [CustomEntry] = []
        for entry in cursor.table(.custom)?.entries ?? [] {
            let table = CustomTable(name: entry.name)
            guard let keys = entry.value.table else {
                let message = "expected a table [custom.\(entry.name.quotedIfNeeded)], found \(entry.value)"
                cursor.report(table.path, message)
                continue
            }
            if let problem = Self.problem(ofName: entry.name) {
                cursor.report(table.path, problem)
                continue
            }
            Self.reportUnknownKeys(keys, of: table, &cursor)
            guard let parameter = Self.parameter(table, allowsAnyHeader: allowsAnyHeader, &cursor) else { continue }
            let interval = cursor.seconds(at: table.path(.interval), in: Configuration.intervals)
            let place = cursor.files.place(of: table.path)
            entries.append(CustomEntry(parameter: parameter, interval: interval, file: place.file, line: place.line))
        }
        return entries
    }

    /// The rule of names for people who have broken it.
    static let nameRule =
        "a name has 1 to \(CustomEntry.nameLimit) characters of a-z, 0-9 and _, and starts with a letter"

    /// Returns whether a text has the form of a parameter's name.
    static func isName(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isPlain = name.utf8.allSatisfy { letters ~= $0 || digits ~= $0 || $0 == UInt8(ascii: "_") }
        let startsWithLetter = name.utf8.first.map { letters ~= $0 } ?? false
        return name.utf8.count <= CustomEntry.nameLimit && isPlain && startsWithLetter
    }

    /// Returns why `name` cannot be that of a custom or a derived parameter, or `nil`.
    static func problem(ofName name: String) -> String? {
        if ParametersReader.settings.contains(name) {
            return "[parameters] has a key with this name. Try: another name"
        }
        guard Self.isName(name) else { return Self.nameRule }
        if Parameter.named(name) != nil || SupplyValue(rawValue: name) != nil {
            return "a built-in parameter has this name. Try: another name"
        }
        return nil
    }

    private static func reportUnknownKeys(_ keys: Table, of table: CustomTable, _ cursor: inout ConfigurationCursor) {
        for key in keys.entries.map(\.name) where CustomKey(rawValue: key) == nil {
            let suggestion = Spelling.closest(to: key, in: CustomKey.allCases.map(\.rawValue))
            cursor.report(table.path + [key], "unknown key", suggestion: suggestion)
        }
    }

    private static func parameter(
        _ table: CustomTable,
        allowsAnyHeader: Bool,
        _ cursor: inout ConfigurationCursor
    ) -> CustomParameter? {
        let countBefore = cursor.problemCount
        let title = cursor.text(at: table.path(.title))
        let source: CustomParameter.Source?
        if cursor.isSet(table.path(.frame)) {
            source = CustomFrameReader.read(table, &cursor).map { .frame($0) }
        } else {
            CustomFrameReader.reportUseless(in: table, &cursor)
            source = CustomRequestReader.read(table, allowsAnyHeader: allowsAnyHeader, &cursor).map { .request($0) }
        }
        let field = CustomFieldReader.read(table, &cursor)
        guard let source, let field, cursor.problemCount == countBefore else { return nil }
        return CustomParameter(title: title, source, field: field)
    }
}

extension ConfigurationCursor {
    /// Reports that a table `[custom.NAME]` lacks a key, if it does.
    mutating func reportIfMissing(_ key: CustomKey, in table: CustomTable, _ advice: String) {
        guard !self.isSet(table.path(key)) else { return }
        self.report(table.path, "\(key.rawValue) is missing. Try: \(advice)")
    }
}
