// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One line to an adapter, without its carriage return, and how long its reply may take.
package struct Command: Hashable, Sendable {
    /// What is sent: `ATE0`, `010C`.
    package let line: String
    /// How long to wait for the prompt.
    package let timeout: Duration
    /// The service whose "response pending" (negative response code 78) earns more time, if any.
    package let service: UInt8?

    package init(_ line: String, timeout: Duration, service: UInt8? = nil) {
        self.line = line
        self.timeout = timeout
        self.service = service
    }
}

/// How a ``Command`` ended.
package enum CommandOutcome: Hashable, Sendable {
    /// The lines before the prompt, without the echo of the command; possibly none.
    case reply([String])
    /// No prompt came in time. `prompted` tells whether one came after the interrupt that followed: an adapter that
    /// still prompts is alive.
    case silence(prompted: Bool)
    /// The reply was longer than any message can be, and was thrown away.
    case overflow
}
