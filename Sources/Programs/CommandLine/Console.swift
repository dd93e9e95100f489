// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Glibc

/// Standard output and standard error, without full Foundation.
///
/// Names, texts and codes are untrusted: nothing in them can control a terminal or begin another line.
package enum Console {
    /// The longest line, in characters.
    private static let limit = 32_768

    /// Writes a line to standard output.
    package static func print(_ line: String) {
        Self.write(Printable.text(line, limit: Self.limit) + "\n", to: 1)
    }

    /// Writes JSON to standard output.
    ///
    /// Only control characters are escaped.
    package static func printJSON(_ text: String) {
        Self.write(Printable.json(text) + "\n", to: 1)
    }

    /// Writes a line to standard error.
    package static func printError(_ line: String) {
        Self.write(Printable.text(line, limit: Self.limit) + "\n", to: 2)
    }

    /// Writes a progress line, if standard error is a terminal.
    package static func progress(_ line: String) {
        if isatty(2) == 1 { Self.printError("... " + line) }
    }

    /// Asks the user on the terminal.
    ///
    /// Only the whole word `yes` confirms.
    package static func isConfirmed(_ question: String) -> Bool {
        Self.printError("")
        Self.printError(question)
        return readLine()?.lowercased() == "yes"
    }

    /// Writes a text unchanged.
    ///
    /// After an error of the stream the rest is dropped.
    package static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
