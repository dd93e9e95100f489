// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Testing

@Suite("The table [upgrade]")
struct UpgradeTests {
    private static func upgrade(_ lines: String) throws -> Configuration.Upgrade {
        let text = "[mqtt]\nurl = \"mqtt://127.0.0.1\"\n[upgrade]\n\(lines)\n"
        return try Configuration(toml: Array(text.utf8), file: "agent.toml").upgrade
    }

    @Test("Without any key the values are those of the sample")
    func defaults() throws {
        let upgrade = try Self.upgrade("")
        #expect(upgrade.rollsBack && upgrade.within == .seconds(900) && upgrade.keep == .seconds(7 * 86_400))
    }

    @Test("Every key sets its value")
    func keys() throws {
        let upgrade = try Self.upgrade("rollback = false\nwithin_seconds = 60\nkeep_hours = 0")
        #expect(!upgrade.rollsBack && upgrade.within == .seconds(60) && upgrade.keep == .zero)
    }

    @Test(
        "Invalid values are refused",
        arguments: [
            "rollback = 1", "within_seconds = 59", "within_seconds = 86401", "within_seconds = 90.5",
            "keep_hours = -1", "keep_hours = 8761", "keep_days = 7",
        ]
    )
    func invalid(_ line: String) {
        #expect(throws: ConfigurationError.self) { try Self.upgrade(line) }
    }
}
