// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Finds texts with control characters, with code points that are no characters, and with signs that reorder the text.
///
/// Brokers refuse the first two in topics, names and client ids (MQTT 5, section 1.5.4), and in C a text ends at NUL.
/// With the others a title shows another text than the file has (Unicode Standard Annex 9, section 2).
enum ControlCharacterCheck {
    typealias Problem = ConfigurationError.Problem

    /// Returns a problem for each text of the document that has such a code point.
    static func problems(in document: Document, file: String) -> [Problem] {
        var problems: [Problem] = []
        Self.check(.table(document.root), at: [], line: 1, of: file, &problems)
        return problems
    }

    private static func check(
        _ value: TOMLValue,
        at path: [String],
        line: Int,
        of file: String,
        _ problems: inout [Problem]
    ) {
        switch value {
        case .table(let table):
            for entry in table.entries {
                Self.check(entry.value, at: path + [entry.name], line: entry.position.line, of: file, &problems)
            }
        case .array(let nodes):
            for node in nodes { Self.check(node.value, at: path, line: node.position.line, of: file, &problems) }
        case .text(let text):
            guard let scalar = text.unicodeScalars.first(where: { Self.isControl($0) || Self.reorders($0) })
            else { return }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let code = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
            let message =
                Self.reorders(scalar)
                ? "contains the sign U+\(code), which changes the order of the shown letters. Try: remove it"
                : "contains the control character U+\(code), which brokers refuse. Try: remove it"
            problems.append(.init(file: file, line: line, key: keyName(path), message: message))
        case .integer, .number, .flag, .dateTime:
            break
        }
    }

    /// Whether the scalar embeds, overrides or isolates a direction of writing.
    private static func reorders(_ scalar: Unicode.Scalar) -> Bool {
        0x202A...0x202E ~= scalar.value || 0x2066...0x2069 ~= scalar.value
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
    }
}
