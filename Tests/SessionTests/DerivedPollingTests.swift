// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Session

@Suite("The sources of derived parameters")
struct DerivedPollingTests {
    private static let known: [String: DerivedPolling.Source] = [
        "fuel_rate": .init(value: "fuel_rate", key: 0x5E), "mass_air_flow": .init(value: "mass_air_flow", key: 0x10),
        "fuel_type": .init(value: "fuel_type", key: 0x51), "vehicle_speed": .init(value: "vehicle_speed", key: 0x0D),
        "state_of_charge": .init(value: "soc", key: .custom("soc")),
        "supply_voltage": .init(value: "supply_voltage", key: nil),
    ]

    private static func polling(
        without missing: Set<String> = [],
        watched: [String: Duration] = [:]
    ) -> DerivedPolling {
        var polling = DerivedPolling(
            ways: [
                "flow": [SourceSet(["fuel_rate"]), SourceSet(["mass_air_flow"], slow: ["fuel_type"])],
                "economy": [SourceSet(["flow", "vehicle_speed"])],
            ],
            watched: watched
        )
        polling.choose { missing.contains($0) ? nil : Self.known[$0] }
        return polling
    }

    @Test("The first way whose values the vehicle has is chosen, also for what is computed from it")
    func ways() {
        #expect(Self.polling().derivations["flow"]?.way == 0)
        let second = Self.polling(without: ["fuel_rate"])
        #expect(second.derivations["flow"]?.way == 1)
        #expect(second.derivations["economy"]?.values == ["flow": "flow", "vehicle_speed": "vehicle_speed"])
        let none = Self.polling(without: ["fuel_rate", "fuel_type"])
        #expect(none.derivations.isEmpty)
        #expect(none.keys(of: "economy", withSlow: true) == nil)
    }

    @Test("The sources are polled at the interval of the parameter, and those that hardly change once a minute")
    func intervals() {
        var polling = Self.polling(without: ["fuel_rate"])
        let polled = polling.expand(
            [.derived("economy"): .seconds(2), 0x0D: .seconds(1), 0x10: .seconds(5)],
            isWatching: true
        )
        #expect(polled == [0x0D: .seconds(1), 0x10: .seconds(2), 0x51: .seconds(60)])
        #expect(polling.derivations["flow"]?.interval == .seconds(2))
        #expect(polling.derivations["economy"]?.interval == .seconds(2))
        #expect(polling.keys(of: "economy", withSlow: false) == [0x0D, 0x10])
        #expect(polling.keys(of: "economy", withSlow: true) == [0x0D, 0x10, 0x51])
    }

    @Test("Nothing is computed that nothing needs")
    func unneeded() {
        var polling = Self.polling()
        _ = polling.expand([.derived("economy"): .seconds(2)], isWatching: true)
        #expect(polling.expand([0x0C: .seconds(1)], isWatching: true) == [0x0C: .seconds(1)])
        #expect(polling.derivations["economy"]?.interval == nil && polling.derivations["flow"]?.interval == nil)
    }

    @Test("Watched values are polled, selected or not, except during a charge")
    func watched() {
        var polling = Self.polling(
            watched: [
                "state_of_charge": .seconds(10), "flow": .seconds(10), "supply_voltage": .seconds(10),
                "no": .seconds(1),
            ]
        )
        let polled = polling.expand([0x5E: .seconds(60)], isWatching: true)
        #expect(polled == [.custom("soc"): .seconds(10), 0x5E: .seconds(10)])
        // What the vehicle does not have is told apart from what the adapter measures.
        #expect(polling.watchedKeys(of: "no") == nil && polling.watchedKeys(of: "supply_voltage") == [])
        #expect(polling.watchedKeys(of: "flow") == [0x5E])
        let poor = Self.polling(without: ["fuel_rate", "mass_air_flow"], watched: ["flow": .seconds(10)])
        #expect(poor.watchedKeys(of: "flow") == nil)
        #expect(polling.derivations["flow"]?.interval == .seconds(10))
        #expect(polling.expand([0x0C: .seconds(1)], isWatching: false) == [0x0C: .seconds(1)])
    }

    @Test("A circle of derived parameters is supported by no vehicle")
    func circle() {
        var polling = DerivedPolling(ways: ["a": [SourceSet(["b"])], "b": [SourceSet(["a"])]])
        polling.choose { Self.known[$0] }
        #expect(polling.derivations.isEmpty)
    }
}
