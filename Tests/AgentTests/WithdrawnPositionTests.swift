// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import Testing
import Uplink

@testable import Agent

@Suite("The position that the broker has from an earlier configuration")
struct WithdrawnPositionTests {
    /// Returns how often a configuration withdraws the position of the first vehicle, and of the one after it.
    private func withdrawals(_ table: String) throws -> [Int] {
        let text = "[mqtt]\nurl = \"mqtts://broker.example\"\n" + table
        let configuration = try Configuration(toml: Array(text.utf8), file: "agent.toml")
        var watch = DriveWatch(
            configuration,
            clock: StandingClock(),
            boot: "boot",
            zones: HomeZones(configuration.position.zones) { _ in Array(repeating: 1, count: 8) }
        )
        return [0, 1].map { vehicle in
            if vehicle > 0 { _ = watch.vehicleChanged(at: .zero) }
            return (1...3).reduce(0) { count, minute in
                count + watch.timePassed(to: .zero + .seconds(60 * minute)).count { Self.isWithdrawal($0) }
            }
        }
    }

    private static func isWithdrawal(_ action: DriveAction) -> Bool {
        if case .update(.position, .withdrawn) = action { true } else { false }
    }

    @Test(
        "Without a receiver, and if positions are not shared, it is withdrawn once for each vehicle",
        arguments: [
            ("", [1, 1]),
            ("[position]\ngpsd = \"localhost\"\nshare = \"never\"", [1, 1]),
            ("[position]\ngpsd = \"localhost\"\nshare = \"trips\"", [1, 1]),
            ("[position]\ngpsd = \"localhost\"\nshare = \"coarse\"", [0, 0]),
            ("[position]\ngpsd = \"localhost\"", [0, 0]),
        ]
    )
    func withdrawal(table: String, counts: [Int]) throws {
        #expect(try self.withdrawals(table) == counts)
    }
}
