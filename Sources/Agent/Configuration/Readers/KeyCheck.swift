// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TOML

/// Finds tables and keys that the configuration does not have.
enum KeyCheck {
    /// Reports every unknown table and key, except in tables whose keys are names that the user chooses.
    static func reportUnknownKeys(_ cursor: inout ConfigurationCursor) {
        for entry in cursor.files.root.entries {
            guard let section = Section(rawValue: entry.name) else {
                Self.reportUnknown(entry, &cursor)
                continue
            }
            guard let table = entry.value.table else {
                cursor.report([entry.name], "expected a table, found \(entry.value)")
                continue
            }
            guard !section.hasOwnNames else { continue }
            let keys = Key.keys(of: section).map(\.name)
            for name in table.entries.map(\.name) where !keys.contains(name) {
                let suggestion = Self.sameKeyInAnyTable(name) ?? Spelling.closest(to: name, in: keys)
                cursor.report([section.rawValue, name], "unknown key", suggestion: suggestion)
            }
        }
    }

    /// Reports every table and key outside of `section`.
    static func reportKeysOutside(of section: Section, _ cursor: inout ConfigurationCursor) {
        for entry in cursor.files.root.entries {
            if entry.name != section.rawValue {
                cursor.report([entry.name], "a set may contain only tables [\(section).NAME]")
            } else if entry.value.table == nil {
                cursor.report([entry.name], "expected a table, found \(entry.value)")
            }
        }
    }

    private static func reportUnknown(_ entry: Table.Entry, _ cursor: inout ConfigurationCursor) {
        if entry.value.table == nil {
            cursor.report([entry.name], "unknown key", suggestion: Self.sameKeyInAnyTable(entry.name))
        } else {
            let section = Spelling.closest(to: entry.name, in: Section.allCases.map(\.rawValue))
            cursor.report([entry.name], "unknown table", suggestion: section.map { "[\($0)]" })
        }
    }

    /// Returns the spelling of the first key with that name in any table: `[mqtt] url`.
    private static func sameKeyInAnyTable(_ name: String) -> String? {
        Key.allCases.first { $0.name == name }.map { keyName($0.path) }
    }
}
