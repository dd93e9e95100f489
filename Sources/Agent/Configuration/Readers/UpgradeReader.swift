// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Reads the table `[upgrade]`.
enum UpgradeReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Upgrade {
        let usual = Configuration.Upgrade()
        return .init(
            rollsBack: cursor.flag(.upgradeRollback) ?? usual.rollsBack,
            within: cursor.integer(.upgradeWithinSeconds, in: 60...86_400).map { .seconds($0) } ?? usual.within,
            keep: cursor.integer(.upgradeKeepHours, in: 0...8760).map { .seconds($0 * 3600) } ?? usual.keep
        )
    }
}
