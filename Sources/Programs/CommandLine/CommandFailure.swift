// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// An end with an exit code and a sentence about it.
package struct CommandFailure: Error, CustomStringConvertible {
    package let code: ExitStatus
    package let description: String

    /// - Parameter next: what to do about it, on a line of its own.
    package init(_ code: ExitStatus, _ description: String, next: String? = nil) {
        self.init(code, lines: [description] + (next.map { ["Try: \($0)"] } ?? []))
    }

    /// - Parameter lines: each stays one, whatever a stranger has put into it.
    package init(_ code: ExitStatus, lines: [String]) {
        self.code = code
        self.description = lines.map { Printable.text($0) }.joined(separator: "\n")
    }
}
