// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A line to an adapter, without its carriage return, with the timeout for its reply.
package struct Command: Hashable, Sendable {
    /// The text to send: `ATE0`, `010C`.
    package let line: String
    /// The timeout for the prompt.
    package let timeout: Duration
    /// The service whose "response pending" (negative response code 78) extends the timeout, if any.
    package let service: UInt8?
    /// Whether the command runs until it is interrupted.
    ///
    /// Its reply is then all that arrives before the timeout.
    package let collectsUntilTimeout: Bool

    package init(_ line: String, timeout: Duration, service: UInt8? = nil, collectsUntilTimeout: Bool = false) {
        self.line = line
        self.timeout = timeout
        self.service = service
        self.collectsUntilTimeout = collectsUntilTimeout
    }
}

extension Command {
    /// Returns the command that waits for a broadcast of the parameter group of `request`.
    ///
    /// The adapter sends nothing on the bus. A group that may be long is collected whole, from every ECU, until the end
    /// of `duration`. The wait for a short group ends with its first frame.
    static func listening(to request: BusRequest, for duration: Duration) -> Command {
        // Old chips accept only the form with four digits.
        let digits = hexadecimal(request.payload.first == 0 ? request.payload.dropFirst() : request.payload[...])
        let line = "ATMP\(digits)"
        return Command(request.isSlow ? line : "\(line)1", timeout: duration, collectsUntilTimeout: request.isSlow)
    }
}

/// The outcome of a ``Command``.
package enum CommandOutcome: Hashable, Sendable {
    /// The lines before the prompt, without the echo of the command. There may be none.
    case reply([String])
    /// No prompt arrived in time.
    ///
    /// `prompted` tells whether the interrupt that followed was answered with a prompt: such an adapter is alive.
    case silence(prompted: Bool)
    /// The reply was longer than any message can be, and was dropped.
    case overflow

    /// Whether the adapter refused the command or did not answer it.
    package var isRefused: Bool {
        guard case .reply(let lines) = self else { return true }
        return lines.last.map { compact($0) == "?" } ?? true
    }
}
