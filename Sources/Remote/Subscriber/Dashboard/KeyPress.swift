// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A pressed key.
enum KeyPress: Hashable, Sendable {
    case up, down, left, right, pageUp, pageDown, home, end
    case space, enter, escape, tab, backTab
    case character(Character)
}

/// Decodes keys from the bytes of a terminal: ASCII, and the sequences of arrow and page keys (ECMA-48).
struct KeyReader: Sendable {
    /// The beginning of an unfinished sequence.
    private var pending: [UInt8] = []

    /// Decodes bytes.
    ///
    /// An unfinished sequence waits for the rest.
    mutating func read(_ bytes: [UInt8]) -> [KeyPress] {
        var keys: [KeyPress] = []
        for byte in bytes {
            if self.pending.isEmpty {
                if byte == 0x1B { self.pending = [byte] } else { keys += Self.key(byte) }
            } else if self.pending == [0x1B] {
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
                    self.pending.append(byte)
                } else {
                    self.pending = []
                    keys += [.escape] + Self.key(byte)
                }
            } else if 0x40...0x7E ~= byte || self.pending.count > 8 {
                keys += Self.sequence(self.pending.dropFirst(2) + [byte])
                self.pending = []
            } else {
                self.pending.append(byte)
            }
        }
        return keys
    }

    /// Ends an unfinished sequence after a pause.
    ///
    /// A lone escape is the escape key.
    mutating func inputPaused() -> [KeyPress] {
        defer { self.pending = [] }
        return self.pending == [0x1B] ? [.escape] : []
    }

    private static func key(_ byte: UInt8) -> [KeyPress] {
        switch byte {
        case 0x09: [.tab]
        case 0x20: [.space]
        case 0x0A, 0x0D: [.enter]
        case 0x21...0x7E: [.character(Character(UnicodeScalar(byte)))]
        default: []
        }
    }

    private static func sequence(_ bytes: some Collection<UInt8>) -> [KeyPress] {
        switch String(decoding: bytes, as: UTF8.self) {
        case "A": [.up]
        case "B": [.down]
        case "C": [.right]
        case "D": [.left]
        case "H", "1~", "7~": [.home]
        case "F", "4~", "8~": [.end]
        case "Z": [.backTab]
        case "5~": [.pageUp]
        case "6~": [.pageDown]
        default: []
        }
    }
}
