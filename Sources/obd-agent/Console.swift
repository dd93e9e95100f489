// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard output and standard error, without full Foundation.
enum Console {
    /// Writes a line to standard output.
    static func print(_ line: String) {
        Self.write(line + "\n", to: 1)
    }

    /// Writes a line to standard error.
    static func printError(_ line: String) {
        Self.write(line + "\n", to: 2)
    }

    /// Tells somebody who watches a terminal what takes so long.
    static func progress(_ line: String) {
        if isatty(2) == 1 { Self.printError("... " + line) }
    }

    /// Writes all of a text, if somebody reads it.
    static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
