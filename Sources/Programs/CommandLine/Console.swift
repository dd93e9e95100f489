// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Glibc

/// Standard output and standard error, without full Foundation.
///
/// Names, texts and codes come from strangers: nothing that commands a terminal, or begins another line, gets through.
package enum Console {
    /// The longest line, in characters.
    private static let limit = 32_768

    /// Writes a line to standard output.
    package static func print(_ line: String) {
        Self.write(Printable.text(line, limit: Self.limit) + "\n", to: 1)
    }

    /// Writes JSON to standard output, as it is but for escapes.
    package static func printJSON(_ text: String) {
        Self.write(Printable.json(text) + "\n", to: 1)
    }

    /// Writes a line to standard error.
    package static func printError(_ line: String) {
        Self.write(Printable.text(line, limit: Self.limit) + "\n", to: 2)
    }

    /// Tells somebody who watches a terminal what takes so long.
    package static func progress(_ line: String) {
        if isatty(2) == 1 { Self.printError("... " + line) }
    }

    /// Asks on the terminal; only the whole word counts.
    package static func isConfirmed(_ question: String) -> Bool {
        Self.printError("")
        Self.printError(question)
        return readLine()?.lowercased() == "yes"
    }

    /// Writes all of a text as it is, if somebody reads it.
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
