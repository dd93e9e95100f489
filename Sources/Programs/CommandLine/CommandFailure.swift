// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// An error that ends a command, with its exit status and its message.
package struct CommandFailure: Error, CustomStringConvertible {
    package let code: ExitStatus
    /// The message without the next step.
    package let problem: String
    /// The next step of the user.
    package let next: String?

    package var description: String { self.problem + (self.next.map { "\nTry: \($0)" } ?? "") }

    /// - Parameter next: the next step, which stands on a line of its own after `Try:`.
    package init(_ code: ExitStatus, _ problem: String, next: String? = nil) {
        self.init(code, lines: [problem], next: next)
    }

    /// - Parameter lines: the message. Each stays one line, whatever untrusted text it contains.
    package init(_ code: ExitStatus, lines: [String], next: String? = nil) {
        self.code = code
        self.problem = lines.map { Printable.text($0) }.joined(separator: "\n")
        self.next = next.map { Printable.text($0) }
    }
}
