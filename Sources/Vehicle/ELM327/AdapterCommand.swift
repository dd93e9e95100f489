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

    /// What tells who made it: for reports, since it proves nothing.
    package static let identification = ["ATI", "AT@1", "STDI"].map { Command($0, timeout: AdapterCommand.timeout) }

    /// Commands that change nothing, each with the version of the ELM327 that brought it.
    package static let versions: [(command: Command, since: String)] = [
        ("ATIGN", "1.4"), ("ATRD", "1.4"), ("ATAMC", "2.0"), ("ATCTM1", "2.1"),
    ].map { (Command($0, timeout: AdapterCommand.timeout), $1) }

    /// Puts an adapter to sleep until the next byte, which is lost.
    ///
    /// - Parameter firmware: what an STN chip answers to `STI`; nil for every other.
    package static func sleep(firmware: String?) -> [Command] {
        let lines = firmware == nil ? ["ATLP"] : ["STSLU off,on", "STSLEEP"]
        return lines.map { Command($0, timeout: Self.timeout) }
    }

    /// The voltage in a reply to ``voltage``: `12.6V`, with or without the unit.
    ///
    /// - Returns: volts, 6 to 60; nil where the reply holds no such number. No adapter runs on less, so that less is the
    ///   zero of one that can't measure, or a spike.
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
