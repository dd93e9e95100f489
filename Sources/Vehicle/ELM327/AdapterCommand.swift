// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The commands to the adapter itself that a session needs.
package enum AdapterCommand {
    /// The timeout for a command that touches no bus.
    package static let timeout = Duration.seconds(2)
    /// The timeout for a restart (`AT Z`).
    package static let resetTimeout = Duration.seconds(4)
    /// The timeout for the first request.
    ///
    /// A protocol search that reports progress extends it.
    package static let searchTimeout = Duration.seconds(12)

    /// Reads the supply voltage; touches no bus.
    package static let voltage = Command("ATRV", timeout: AdapterCommand.timeout)

    /// The commands that print names and versions.
    ///
    /// They serve reports only, because their text proves nothing.
    package static let identification = ["ATI", "AT@1", "STDI"].map { Command($0, timeout: AdapterCommand.timeout) }

    /// Commands that change nothing, each with the ELM327 version that introduced it.
    package static let versions: [(command: Command, since: String)] = [
        ("ATIGN", "1.4"), ("ATRD", "1.4"), ("ATAMC", "2.0"), ("ATCTM1", "2.1"),
    ].map { (Command($0, timeout: AdapterCommand.timeout), $1) }

    /// Returns the commands that put an adapter to sleep until the next byte, which is lost.
    ///
    /// - Parameter firmware: the reply of an STN chip to `STI`; nil for any other chip.
    package static func sleep(firmware: String?) -> [Command] {
        let lines = firmware == nil ? ["ATLP"] : ["STSLU off,on", "STSLEEP"]
        return lines.map { Command($0, timeout: Self.timeout) }
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
}
