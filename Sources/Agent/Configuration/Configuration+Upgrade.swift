// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Configuration {
    /// The judgment of an upgrade, which the package's own unit makes.
    package struct Upgrade: Equatable, Sendable {
        /// Whether a version that does not do what the version before did is replaced by that one.
        package var rollsBack: Bool
        /// The time for what the version before had reached a moment ago, a minute to a day.
        package var within: Duration
        /// The running time for what the version before had reached within the same time, up to a year; 0 for nothing.
        package var keep: Duration

        package init(rollsBack: Bool = true, within: Duration = .seconds(900), keep: Duration = .seconds(604_800)) {
            self.rollsBack = rollsBack
            self.within = within
            self.keep = keep
        }
    }
}
