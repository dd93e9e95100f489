// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The settings that start-up sends to an adapter.
extension StartUp {
    /// A command that configures the adapter.
    struct Setting: Sendable {
        let line: String
        var capability: Capability?
        /// Whether a reset restores this setting by itself.
        var isDefault = false
    }

    /// The settings in order.
    ///
    /// The voltage is last, because it decides whether requests may be sent on the bus.
    static let settings: [Setting] = [
        Setting(line: "ATE0", capability: .echoOff), Setting(line: "ATL0", capability: .linefeedsOff),
        Setting(line: "ATS0", capability: .spacesOff), Setting(line: "ATM0"),
        Setting(line: "ATH1", capability: .headers), Setting(line: "ATAT1", isDefault: true),
        Setting(line: "ATCAF1", isDefault: true), Setting(line: "ATCFC1", isDefault: true),
        Setting(line: "ATRV", capability: .voltage),
    ]
}
