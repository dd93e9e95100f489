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
        /// Ctrl-D on an empty line.
        case cancelled
        /// Ctrl-C.
        case interrupted
    }

    /// The most bytes that are kept; more are ignored.
    private static let limit = 4096

    private var bytes: [UInt8] = []

    package init() {}

    /// Takes the next byte that was typed.
    package mutating func received(_ byte: UInt8) -> Action {
        switch byte {
        case 0x03: return .interrupted
        case 0x04: return self.bytes.isEmpty ? .cancelled : self.end
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return self.end
        // Backspace removes a character, not a byte.
        case 0x08, 0x7F:
            while let last = self.bytes.popLast(), last & 0xC0 == 0x80 {}
        // Ctrl-U begins anew.
        case 0x15: self.bytes = []
        case 0..<0x20: break
        default: if self.bytes.count < Self.limit { self.bytes.append(byte) }
        }
        return .more
    }

    private var end: Action { .finished(String(decoding: self.bytes, as: UTF8.self)) }

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
