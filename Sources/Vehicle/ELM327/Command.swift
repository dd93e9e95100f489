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
    /// Whether it goes on until it is interrupted, so that what has come in time is its reply.
    package let collects: Bool

    package init(_ line: String, timeout: Duration, service: UInt8? = nil, collects: Bool = false) {
        self.line = line
        self.timeout = timeout
        self.service = service
        self.collects = collects
    }
}

extension Command {
    /// Waits for a broadcast of the parameter group of `request`; nothing is sent on the bus.
    ///
    /// One that may be long comes whole, and of every ECU: whoever has not spoken by the end has nothing to say.
    static func listening(to request: BusRequest, for duration: Duration) -> Command {
        // Old chips know the form with four digits only.
        let digits = hexadecimal(request.payload.first == 0 ? request.payload.dropFirst() : request.payload[...])
        let line = "ATMP\(digits)"
        return Command(request.isSlow ? line : "\(line)1", timeout: duration, collects: request.isSlow)
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

    /// Whether it is no answer of an adapter that knows the command.
    package var isRefused: Bool {
        guard case .reply(let lines) = self else { return true }
        return lines.last.map { compact($0) == "?" } ?? true
    }
}
