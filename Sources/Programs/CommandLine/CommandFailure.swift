// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// An error that ends a command, with its exit status and its message.
package struct CommandFailure: Error, CustomStringConvertible {
    package let code: ExitStatus
    package let description: String

    /// - Parameter next: the next step, which stands on a line of its own after `Try:`.
    package init(_ code: ExitStatus, _ description: String, next: String? = nil) {
        self.init(code, lines: [description] + (next.map { ["Try: \($0)"] } ?? []))
    }

    /// - Parameter lines: the message. Each stays one line, whatever untrusted text it contains.
    package init(_ code: ExitStatus, lines: [String]) {
        self.code = code
        self.description = lines.map { Printable.text($0) }.joined(separator: "\n")
    }
}
