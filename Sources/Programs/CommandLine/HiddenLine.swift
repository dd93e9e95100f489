// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// For termios: which C module declares it depends on the compiler.
import CLinux
import Glibc

/// A line that is typed without being shown, from the bytes of a terminal that neither shows nor edits them.
package struct HiddenLine: Sendable {
    package enum Action: Hashable, Sendable {
        case more
        case finished(String)
        /// The line cannot be taken: a sentence part about why.
        case unusable(String)
        /// Ctrl-D on an empty line.
        case cancelled
        /// Ctrl-C.
        case interrupted
    }

    /// A sequence of a key such as an arrow, ECMA-48, section 5.4, which must not become a part of the line.
    private enum EscapeState {
        case none
        case begun
        case inside
    }

    /// The most bytes of a line.
    private static let limit = 4096

    private var bytes: [UInt8] = []
    private var isTooLong = false
    private var escape = EscapeState.none

    package init() {}

    /// Takes the next byte that was typed.
    package mutating func received(_ byte: UInt8) -> Action {
        if self.isOfKey(byte) { return .more }
        switch byte {
        case 0x1B: self.escape = .begun
        case 0x03: return .interrupted
        case 0x04: return self.bytes.isEmpty ? .cancelled : self.end
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return self.end
        // Backspace removes a character, not a byte.
        case 0x08, 0x7F:
            while let last = self.bytes.popLast(), last & 0xC0 == 0x80 {}
        // Ctrl-U begins anew.
        case 0x15: (self.bytes, self.isTooLong) = ([], false)
        case 0..<0x20: break
        default:
            if self.bytes.count < Self.limit { self.bytes.append(byte) } else { self.isTooLong = true }
        }
        return .more
    }

    /// Returns whether a byte belongs to the sequence of a key.
    private mutating func isOfKey(_ byte: UInt8) -> Bool {
        switch (self.escape, byte) {
        case (.none, _): return false
        // The end of the line and Ctrl-C have their effect in any case.
        case (_, 0..<0x20), (_, 0x7F):
            self.escape = .none
            return false
        case (.begun, UInt8(ascii: "[")), (.begun, UInt8(ascii: "O")): self.escape = .inside
        case (.inside, 0x20..<0x40): break
        default: self.escape = .none
        }
        return true
    }

    private var end: Action {
        if self.isTooLong { return .unusable("it has more than \(Self.limit) bytes") }
        return String(validating: self.bytes, as: UTF8.self).map { .finished($0) } ?? .unusable(Self.notUTF8)
    }

    /// A sentence part about a line of a terminal with another character set.
    package static let notUTF8 = "it is not UTF-8. Try: a terminal whose character set is UTF-8"

    /// Reads such a line from the terminal of standard input.
    ///
    /// The result is never ``Action/more``. The caller ends the process after Ctrl-C, because a thread of Swift's
    /// blocks signals and can send itself none.
    package static func read() -> Action {
        var settings = termios()
        guard unsafe tcgetattr(0, &settings) == 0 else { return .cancelled }
        var before = settings
        // Without ISIG, Ctrl-C comes as a byte: nothing ends the process before the terminal is as it was.
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        unsafe withUnsafeMutableBytes(of: &settings.c_cc) { bytes in
            unsafe bytes[Int(VMIN)] = 1
            unsafe bytes[Int(VTIME)] = 0
        }
        unsafe tcsetattr(0, TCSANOW, &settings)
        defer { unsafe tcsetattr(0, TCSANOW, &before) }
        var line = Self()
        while true {
            var byte: UInt8 = 0
            let count = unsafe Glibc.read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return .cancelled }
            let action = line.received(byte)
            if action != .more { return action }
        }
    }
}
