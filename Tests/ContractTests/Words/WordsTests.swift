// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Contract

@Suite("The shared words")
struct WordsTests {
    @Test(
        "A value of the catalogue has a short title, another name becomes a phrase",
        arguments: [
            ("engine_speed", "Engine speed"), ("gear_gear", "Gear"), ("obd_standard", "OBD standard"),
            ("o2_sensor_b1s1_voltage", "O2 sensor B1S1 voltage"), ("o2_sensor_b3s2_voltage", "O2 sensor B3S2 voltage"),
            ("supply_voltage", "12 V supply"), ("engine_hours", "Engine hours"), ("manifold_boost", "Boost"),
            ("my_own_value", "My own value"),
            // A custom parameter may have the digits of a PID as its name.
            ("ac", "A/C"), ("", ""),
        ]
    )
    func titles(name: String, title: String) {
        #expect(Words.title(of: name) == title)
    }

    @Test("Titles are short, name one value each, and say nothing twice")
    func quality() {
        var names: [String: String] = [:]
        for (name, words) in Words.parameters {
            let title = words.title
            #expect(1...32 ~= title.count, "\(name): \(title)")
            #expect(names.updateValue(name, forKey: title) == nil, "\(title): \(name)")
            let parts = title.lowercased().split(separator: " ")
            #expect(!zip(parts, parts.dropFirst()).contains { $0 == $1 }, "\(name): \(title)")
            #expect(title.first?.isLowercase == false, "\(name): \(title)")
        }
        for name in Words.titles.keys { #expect(Words.parameters[name] != nil, "\(name)") }
        for name in GaugeWords.all.keys {
            #expect(Words.parameters[name.replacing(".diesel", with: "")]?.gauge != nil, "\(name)")
        }
    }

    @Test("Every value of the catalogue, of SAE J1939, of the supply and of the ready derived ones has words")
    func completeness() {
        let fields =
            Parameter.catalogue.flatMap(\.fields) + ParameterGroup.all.flatMap { $0.signals.map(\.field) }
            + SupplyValue.allCases.map(\.field) + DerivedValue.allCases.map(\.field)
        for field in fields { #expect(Words.parameter(field.name) != nil, "\(field.name)") }
        #expect(Words.parameter("my_own_value") == nil)
    }

    @Test(
        "The decimals are those that a person can use",
        arguments: [
            (0.25, "rpm", 0), (1.0, "°C", 0), (0.1, "°C", 1), (1.8, "°F", 0), (0.392, "%", 1), (0.001, "V", 2),
            (0.0000305, "ratio", 3), (0.004, "km/h", 0), (0.01, "g/s", 2), (1, "kPa", 0), (0.145, "psi", 1),
        ] as [(Double, String, Int)]
    )
    func decimals(step: Double, unit: String, decimals: Int) {
        #expect(ParameterWords.decimals(of: step, unit) == decimals)
    }

    @Test("A value has decimals for its metric and its imperial unit, and for no other")
    func units() throws {
        let speed = try #require(Words.parameter("vehicle_speed"))
        #expect(speed.decimals(in: "km/h") == 0 && speed.decimals(in: "mph") == 0)
        #expect(speed.decimals(in: "furlong") == nil)
        let pressure = try #require(Words.parameter("barometric_pressure"))
        #expect(pressure.imperial == ParameterWords.Imperial(unit: "inHg", decimals: 1))
        let fuelType = try #require(Words.parameter("fuel_type"))
        #expect(fuelType.decimals == nil && fuelType.unit == nil && fuelType.gauge == nil)
    }

    @Test("A gauge has the limits of the value, another one for a diesel engine, and 0 to 100 for a share")
    func gauges() throws {
        let speed = try #require(Words.parameter("engine_speed"))
        #expect(speed.gauge?.maximum == 7000 && speed.gauge?.warnAbove == 5800)
        #expect(speed.dieselGauge?.maximum == 5000)
        #expect(Words.parameter("engine_load")?.gauge == GaugeWords(0...100))
        #expect(Words.parameter("short_term_fuel_trim_bank_1")?.gauge == nil)
    }

    @Test("Every state, reason and kind of the contract has a word")
    func terms() {
        var keys = CommandResponse.Reason.allCases.map { "reason.\($0.rawValue)" }
        keys += CommandResponse.State.allCases.map { "answer.\($0.rawValue)" }
        keys += AgentEvent.Kind.allCases.map { "event.\($0.rawValue)" }
        keys += AgentStatus.Link.allCases.map { "link.\($0.rawValue)" }
        keys += AgentStatus.Ignition.allCases.map { "ignition.\($0.rawValue)" }
        keys += CodesReport.State.allCases.map { "codes.\($0.rawValue)" }
        keys += CodesReport.Severity.allCases.map { "severity.\($0.rawValue)" }
        keys += Finding.Severity.allCases.map { "severity.\($0.rawValue)" }
        keys += DTC.Category.allCases.map { "category.\($0.rawValue)" }
        keys += DTC.Group.allCases.map { "component.\($0.rawValue)" }
        keys += Monitor.allCases.map { "monitor.\($0.rawValue)" }
        keys += TestsReport.State.allCases.map { "tests.\($0.rawValue)" }
        keys += CaptureReport.Trigger.allCases.map { "capture.\($0.rawValue)" }
        keys += CaptureReport.Ending.allCases.map { "ending.\($0.rawValue)" }
        keys += Quality.allCases.map { "quality.\($0.rawValue)" }
        keys += PositionReport.Quality.allCases.map { "position.\($0.rawValue)" }
        keys += ParameterRole.allCases.map { "role.\($0.rawValue)" }
        for key in keys { #expect(Words.term(key) != nil, "\(key)") }
        for group in ParameterCategory.allCases { #expect(Words.groups[group] != nil, "\(group)") }
        #expect(Words.term("link.missing") == nil)
    }
}
