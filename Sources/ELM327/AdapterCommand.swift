// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The commands to the adapter itself that a session needs.
package enum AdapterCommand {
    /// How long an adapter may take to answer a command that touches no bus.
    package static let timeout = Duration.seconds(2)
    /// How long it may take to start anew.
    package static let resetTimeout = Duration.seconds(4)
    /// How long the first request may take, until a search reports progress.
    package static let searchTimeout = Duration.seconds(12)

    /// Reads the supply voltage; touches no bus.
    package static let voltage = Command("ATRV", timeout: AdapterCommand.timeout)

    /// The voltage in a reply to ``voltage``: `12.6V`, with or without the unit.
    ///
    /// - Returns: volts, up to 60; nil where the reply holds no such number, or the zero of an adapter that can't
    ///   measure.
    package static func voltage(in lines: [String]) -> Double? {
        for line in lines {
            let text = compact(line)
            guard let volts = Double(text.hasSuffix("V") ? String(text.dropLast()) : text), volts > 0, volts <= 60,
                text.first?.isNumber == true
            else { continue }
            return volts
        }
        return nil
    }
}
