// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

@testable import TOML

extension TOMLValue {
    /// The value in one line, in the form that `Python/canonical.py` prints.
    ///
    /// Keys are sorted. In a text, all but letters, digits, `_`, `.`, `-` and `~` are percent-encoded. A number with a
    /// fraction is shown by its bits.
    var canonical: String {
        switch self {
        case .table(let table):
            "{"
                + table.entries.map { "\(Self.encoded($0.name)):\($0.value.canonical)" }.sorted()
                .joined(separator: ",") + "}"
        case .array(let nodes): "[" + nodes.map(\.value.canonical).joined(separator: ",") + "]"
        case .text(let text): "'\(Self.encoded(text))'"
        case .integer(let value): "\(value)"
        case .number(let value): value.isNaN ? "nan" : "f" + String(value.bitPattern, radix: 16)
        case .flag(let value): "\(value)"
        case .dateTime: "moment"
        }
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte.isBareKeyByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~") {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}

/// Returns the canonical form of a text, or "invalid".
func meaning(_ text: [UInt8]) -> String {
    do {
        return TOMLValue.table(try Document(text).root).canonical
    } catch {
        return "invalid"
    }
}
