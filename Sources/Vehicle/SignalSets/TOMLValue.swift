// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Values as they stand in a TOML file.
enum TOMLValue {
    /// Returns a number in TOML: an integer if that is exact, else a float.
    static func number(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Returns a basic string of TOML, with its quotation marks.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in Printable.text(text).unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// Returns the labels of an enumeration as an inline table.
    static func labels(_ labels: [Int: String]) -> String {
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key) = \(Self.quoted($0.value))" }
        return "{ \(pairs.joined(separator: ", ")) }"
    }
}
