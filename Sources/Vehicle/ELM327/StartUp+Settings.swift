// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// How an adapter is configured.
extension StartUp {
    /// A command that configures the adapter.
    struct Setting: Sendable {
        let line: String
        var capability: Capability?
        /// Whether a reset brings it back by itself.
        var isDefault = false
    }

    /// The voltage comes last: it decides whether the bus may be asked.
    static let settings: [Setting] = [
        Setting(line: "ATE0", capability: .echoOff), Setting(line: "ATL0", capability: .linefeedsOff),
        Setting(line: "ATS0", capability: .spacesOff), Setting(line: "ATM0"),
        Setting(line: "ATH1", capability: .headers), Setting(line: "ATAT1", isDefault: true),
        Setting(line: "ATCAF1", isDefault: true), Setting(line: "ATCFC1", isDefault: true),
        Setting(line: "ATRV", capability: .voltage),
    ]
}
