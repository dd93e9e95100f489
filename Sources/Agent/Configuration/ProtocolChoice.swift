// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The bus protocol that the adapter uses.
package enum ProtocolChoice: Hashable, Sendable {
    /// The adapter searches for the protocol.
    case automatic
    /// The protocol with this number, 1 to 10, which `AT SP` takes in hexadecimal (ELM327 data sheet, "AT SP").
    case fixed(UInt8)

    /// The names of the protocols, in the order of their numbers from 1.
    package static let names = [
        "j1850-pwm", "j1850-vpw", "iso9141-2", "kwp-5baud", "kwp-fast",
        "can-11-500", "can-29-500", "can-11-250", "can-29-250", "j1939",
    ]

    /// Parses `auto`, a number from `1` to `9` or `A`, or one of ``names``.
    package init(_ text: String) throws(ValueError) {
        if text == "auto" {
            self = .automatic
        } else if let index = Self.names.firstIndex(of: text) {
            self = .fixed(UInt8(index + 1))
        } else if text.utf8.count == 1, let number = UInt8(text, radix: 16), 1...10 ~= number {
            self = .fixed(number)
        } else {
            throw .unknownWord(text, known: ["auto", "1 to 9", "A"] + Self.names)
        }
    }
}
