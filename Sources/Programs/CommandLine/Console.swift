// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Glibc

/// Standard output and standard error, without full Foundation.
///
/// Names, texts and codes are untrusted: nothing in them can control a terminal or begin another line.
package enum Console {
    /// The longest line, in characters.
    private static let limit = 32_768

    /// Writes a line to standard output.
    package static func print(_ line: String) {
        StandardOutput.write(Self.bytes(line))
    }

    /// Writes JSON to standard output.
    ///
    /// Only control characters are escaped.
    package static func printJSON(_ text: String) {
        StandardOutput.write(Array((Printable.json(text) + "\n").utf8))
    }

    /// Writes a line to standard error.
    package static func printError(_ line: String) {
        // There is no place to tell of its failure.
        _ = Descriptor.write(Self.bytes(line), to: 2)
    }

    /// Writes a progress line, if standard error is a terminal.
    package static func progress(_ line: String) {
        if isatty(2) == 1 { Self.printError("... " + line) }
    }

    /// Asks the user on the terminal.
    ///
    /// Only the whole word `yes` confirms.
    ///
    /// - Parameter interrupt: the effect of Ctrl-C until the user has answered, see ``end(saying:)``; nil to leave it.
    package static func isConfirmed(
        _ question: String,
        interrupt: (@convention(c) (Int32) -> Void)? = nil
    ) -> Bool {
        let before = interrupt.map { signal(SIGINT, $0) }
        defer { if let before { signal(SIGINT, before) } }
        Self.printError("")
        Self.printError(question)
        return readLine()?.lowercased() == "yes"
    }

    /// Ends the process as Ctrl-C does, after a line on standard error; a signal handler may call it.
    package static func end(saying words: StaticString) -> Never {
        for text in ["\n", words, "\n"] as [StaticString] {
            _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
        }
        _exit(128 + SIGINT)
    }

    /// Returns the bytes of a printable line with its end.
    private static func bytes(_ line: String) -> [UInt8] {
        Array((Printable.text(line, limit: Self.limit) + "\n").utf8)
    }
}
