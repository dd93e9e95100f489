// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A line to an adapter, without its carriage return, with the timeout for its reply.
package struct AdapterCommand: Hashable, Sendable {
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

    package init(
        _ line: String,
        timeout: Duration = AdapterCommand.timeout,
        service: UInt8? = nil,
        collectsUntilTimeout: Bool = false
    ) {
        self.line = line
        self.timeout = timeout
        self.service = service
        self.collectsUntilTimeout = collectsUntilTimeout
    }
}

/// The commands to the adapter itself that a session needs.
extension AdapterCommand {
    /// The timeout for a command that touches no bus.
    package static let timeout = Duration.seconds(2)
    /// The timeout for a restart (`AT Z`).
    package static let resetTimeout = Duration.seconds(4)
    /// The timeout for the first request.
    ///
    /// A protocol search that reports progress extends it.
    package static let searchTimeout = Duration.seconds(12)

    /// Reads the supply voltage; touches no bus.
    package static let voltage = AdapterCommand("ATRV")

    /// Prints the adapter's name; touches no bus.
    ///
    /// The name cannot be mistaken for the reply to a request. The link keeps the order, so no reply to an earlier command
    /// can arrive after it.
    package static let name = AdapterCommand("ATI")

    /// The commands that print names and versions.
    ///
    /// They serve reports only, because their text proves nothing.
    package static let identification = [Self.name] + ["AT@1", "STDI"].map { AdapterCommand($0) }

    /// Commands that change nothing, each with the ELM327 version that introduced it.
    package static let versions: [(command: AdapterCommand, since: String)] = [
        ("ATIGN", "1.4"), ("ATRD", "1.4"), ("ATAMC", "2.0"), ("ATCTM1", "2.1"),
    ].map { (AdapterCommand($0), $1) }

    /// Returns the commands that put an adapter to sleep until the next byte, which is lost.
    ///
    /// - Parameter firmware: the reply of an STN chip to `STI`; nil for any other chip.
    package static func sleep(firmware: String?) -> [AdapterCommand] {
        let lines = firmware == nil ? ["ATLP"] : ["STSLU off,on", "STSLEEP"]
        return lines.map { AdapterCommand($0) }
    }

    /// Returns the voltage in a reply to ``voltage``: `12.6V`, with or without the unit.
    ///
    /// - Returns: volts, 6 to 60; nil if the reply holds no such number. No adapter runs on less than 6 V, so a lower
    ///   value is a spike, or the zero of an adapter that cannot measure.
    package static func voltage(in lines: [String]) -> Double? {
        for line in lines {
            let text = compact(line)
            guard let volts = Double(text.hasSuffix("V") ? String(text.dropLast()) : text), 6...60 ~= volts,
                text.first?.isNumber == true
            else { continue }
            return volts
        }
        return nil
    }

    /// Returns the command that waits for a broadcast of the parameter group of `request`.
    ///
    /// The adapter sends nothing on the bus. A group that may be long is collected whole, from every ECU, until the end
    /// of `duration`. The wait for a short group ends with its first frame.
    static func listening(to request: BusRequest, for duration: Duration) -> AdapterCommand {
        // Old chips accept only the form with four digits.
        let digits = hexadecimal(request.payload.first == 0 ? request.payload.dropFirst() : request.payload[...])
        let line = "ATMP\(digits)\(request.isSlow ? "" : "1")"
        return AdapterCommand(line, timeout: duration, collectsUntilTimeout: request.isSlow)
    }
}
