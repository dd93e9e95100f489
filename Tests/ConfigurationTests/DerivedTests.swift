// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import OBD2
import Testing

@testable import Configuration

@Suite("The tables [derived.NAME] and [limit.NAME]")
struct DerivedTests {
    private static func derived(_ lines: String) throws -> [String: DerivedParameter] {
        let derived = try configuration(shortest + lines).computed.derived
        return Dictionary(derived.map { ($0.name, $0) }) { first, _ in first }
    }

    @Test("A table describes a derived parameter")
    func table() throws {
        let text = """
            [derived.slip]
            formula = "engine_speed / vehicle_speed - 30"
            title = "Slip"
            unit = "rpm/(km/h)"
            min = -50
            max = 50.5
            max_age = 2.5
            interval = 1
            """
        let slip = try #require(try Self.derived(text)["slip"])
        #expect(slip.title == "Slip" && slip.field.symbol == "rpm/(km/h)")
        #expect(slip.field.rangeOfValues == -50...50.5 && slip.maximumAge == .milliseconds(2500))
        #expect(slip.ways.map(\.formula.text) == ["engine_speed / vehicle_speed - 30"])
        let selected = try configuration(shortest + text).parameters
        #expect(selected.last == .init(key: .derived("slip"), interval: .seconds(1)))
    }

    @Test("The interval of the selection wins, and ready parameters can be selected")
    func selection() throws {
        let text =
            "[derived.slip]\nformula = \"engine_speed / vehicle_speed\"\ninterval = 1\n"
            + "[parameters]\nslip = 5\nfuel_economy = 2\n"
        #expect(
            try configuration(shortest + text).parameters == [
                .init(key: .derived("fuel_economy"), interval: .seconds(2)),
                .init(key: .derived("slip"), interval: .seconds(5)),
            ]
        )
    }

    @Test("The unit is that of the formula where that is known")
    func unit() throws {
        let rise = "[derived.rise]\nformula = \"coolant_temperature - ambient_air_temperature\"\n"
        #expect(try Self.derived(rise)["rise"]?.field.symbol == "°C")
        let power = "[derived.power]\nformula = \"engine_speed * 2\"\n"
        #expect(try Self.derived(power)["power"]?.field.symbol == nil)
    }

    @Test("Parameters stand behind those that they are computed from, and a table replaces a ready one")
    func order() throws {
        let text = """
            [derived.a]
            formula = "b * 2"
            [derived.b]
            formula = "fuel_flow + 1"
            [derived.fuel_flow]
            formula = "mass_air_flow / 14.7 * 4.8"
            unit = "L/h"
            """
        let computed = try configuration(shortest + text).computed
        let names = computed.derived.map(\.name)
        let places = ["fuel_flow", "b", "a"].compactMap { names.firstIndex(of: $0) }
        #expect(places.count == 3 && places == places.sorted())
        let flow = try #require(names.firstIndex(of: "fuel_flow"))
        let consumption = try #require(names.firstIndex(of: "fuel_consumption"))
        #expect(flow < consumption)
        #expect(computed.derived[flow].ways.count == 1)
    }

    @Test("A custom parameter replaces a ready one of its name")
    func customFirst() throws {
        let text = "[custom.fuel_flow]\nrequest = \"22F190\"\nformula = \"A\"\n"
        #expect(try Self.derived(text)["fuel_flow"] == nil)
        #expect(try Self.derived(text)["fuel_consumption"] != nil)
    }

    @Test("The depth of formulas is limited")
    func depth() {
        let tables = (1...9).map {
            "[derived.step\($0)]\nformula = \"\($0 == 1 ? "engine_speed" : "step\($0 - 1)")\"\n"
        }
        #expect(problems(shortest + tables.prefix(7).joined()) == "")
        let message = "needs more than 6 formulas behind one another. Try: a longer formula"
        #expect(problems(shortest + tables.joined()) == "agent.toml:20: [derived] step8.formula: \(message)")
    }

    @Test("Facts about the engine reach the ready parameters")
    func engine() throws {
        let text = "[vehicle]\nfuel = \"diesel\"\nengine_displacement = 2\nvolumetric_efficiency = 0.9\n"
        let engine = try configuration(shortest + text).vehicle.engine
        #expect(engine == EngineFacts(fuel: .diesel, displacement: 2, volumetricEfficiency: 0.9))
        let flow = try #require(try Self.derived(text)["fuel_flow"])
        #expect(flow.ways.contains { $0.assumes?.contains("volumetric efficiency 0.9;") == true })
    }

    @Test("A limit has a condition, a time and an end")
    func limits() throws {
        let text = """
            [limit.low]
            when = "state_of_charge < 15"
            for = 60
            clear = 20
            title = "Battery low"
            [limit.hot]
            when = "coolant_temperature > 110 and engine_speed > 0"
            clear = "coolant_temperature < 100"
            max_age = 12
            """
        let limits = try configuration(shortest + text).computed.limits
        #expect(limits.map(\.name) == ["hot", "low"])
        #expect(limits.map(\.clearing?.text) == ["coolant_temperature < 100", "state_of_charge > 20"])
        #expect(limits.map(\.duration) == [.zero, .seconds(60)])
        #expect(limits.map(\.maximumAge) == [.seconds(12), .seconds(30)])
        #expect(limits.map(\.title) == [nil, "Battery low"])
    }

    @Test("A limit whose end is an empty text ends as one without an end of its own")
    func emptyClear() throws {
        let text = "[limit.low]\nwhen = \"fuel_level < 15\"\n"
        let limits = try configuration(shortest + text + "clear = \"\"\n").computed.limits
        #expect(limits.map(\.clearing) == [nil])
        #expect(try configuration(shortest + text).computed.limits == limits)
    }

    @Test(
        "Every problem names its place and its remedy",
        arguments: [
            ("[derived]\nx = 1", "6: [derived] x: expected a table [derived.x], found the number 1"),
            (
                "[derived.x]\nunit = \"V\"",
                "5: [derived] x: formula is missing. Try: a formula of values, such as "
                    + "formula = \"fuel_rate / vehicle_speed * 100\""
            ),
            (
                "[derived.x]\nformula = \"\"",
                "5: [derived] x: formula is missing. Try: a formula of values, such as "
                    + "formula = \"fuel_rate / vehicle_speed * 100\""
            ),
            (
                "[derived.x]\nformula = \"engine_speed / 0\"",
                "6: [derived] x.formula: column 16: this divisor is always 0, so there is never a value. "
                    + "Try: another divisor"
            ),
            (
                "[derived.x]\nformula = \"mil + 1\"",
                "6: [derived] x.formula: mil is no value. "
                    + "Try: distance_with_mil, monitor_status_mil, run_time_with_mil"
            ),
            (
                "[derived.x]\nformula = \"warp * 2\"",
                "6: [derived] x.formula: warp is no value. Try: a name that obd-agent parameters list shows"
            ),
            (
                "[limit.x]\nwhen = \"engine_oil_temperature > 120\"",
                "6: [limit] x.when: engine_oil_temperature is no value; did you mean oil_temperature?"
            ),
            (
                "[limit.x]\nwhen = \"vehicle_speed = 40\"",
                "6: [limit] x.when: column 15: \"=\" is no operator. Try: =="
            ),
            (
                "[limit.x]\nwhen = \"20 < vehicle_speed < 40\"",
                "6: [limit] x.when: column 20: a comparison has two sides only. "
                    + "Try: vehicle_speed > 20 and vehicle_speed < 40"
            ),
            (
                "[limit.x]\nwhen = \"\"\nfor = 5",
                "5: [limit] x: when is missing. Try: a condition such as when = \"coolant_temperature > 115\""
            ),
            (
                "[derived.x]\nformula = \"engine_sped * 2\"",
                "6: [derived] x.formula: engine_sped is no value; did you mean engine_speed?"
            ),
            (
                "[derived.x]\nformula = \"vehicle_speed + coolant_temperature\"",
                "6: [derived] x.formula: the units of both sides of + differ: km/h and °C. "
                    + "Try: convert one of them by a factor"
            ),
            (
                "[derived.x]\nformula = \"coolant_temperature - 20\"\nunit = \"K\"",
                "7: [derived] x.unit: the formula's value is in °C, not in K. Try: unit = \"°C\", or a factor"
            ),
            (
                "[derived.x]\nformula = \"a +\"",
                "6: [derived] x.formula: column 4: expected a number, the name of a value, or a bracket"
            ),
            (
                "[derived.vehicle_speed]\nformula = \"engine_speed\"",
                "5: [derived] vehicle_speed: a built-in parameter has this name. Try: another name"
            ),
            (
                "[derived.min]\nformula = \"engine_speed\"",
                "5: [derived] min: formulas have this word. Try: another name"
            ),
            (
                "[derived.x]\nformula = \"x + 1\"",
                "6: [derived] x.formula: needs itself: x, x. Try: a formula of values that are read"
            ),
            (
                "[derived.x]\nformula = \"y\"\n[derived.y]\nformula = \"x\"",
                "6: [derived] x.formula: needs itself: x, y, x. Try: a formula of values that are read"
            ),
            (
                "[derived.x]\nformula = \"engine_speed\"\nmin = 5\nmax = 5",
                "8: [derived] x.max: must be greater than min"
            ),
            ("[derived.x]\nformula = \"engine_speed\"\nsize = 5", "7: [derived] x.size: unknown key"),
            (
                "[derived.x]\nformula = \"monitor_status_ignition\"",
                "6: [derived] x.formula: monitor_status_ignition is no number"
            ),
            (
                "[derived.x]\nformula = \"percent_torque\"",
                "6: [derived] x.formula: percent_torque is no value. Try: percent_torque_idle, percent_torque_point1, "
                    + "percent_torque_point2, percent_torque_point3, percent_torque_point4"
            ),
            (
                "[limit.x]\nfor = 5",
                "5: [limit] x: when is missing. Try: a condition such as when = \"coolant_temperature > 115\""
            ),
            (
                "[limit.x]\nwhen = \"fuel_level < vehicle_speed\"",
                "6: [limit] x.when: the units of both sides of < differ: % and km/h"
            ),
            (
                "[limit.x]\nwhen = \"fuel_level < 15\"\nclear = 10",
                "7: [limit] x.clear: 10 is below 15, the number in when, so both would hold at once. "
                    + "Try: 15, or a number above it"
            ),
            (
                "[limit.x]\nwhen = \"vehicle_speed > 10\"\nclear = 20",
                "7: [limit] x.clear: 20 is above 10, the number in when, so both would hold at once. "
                    + "Try: 10, or a number below it"
            ),
            (
                "[limit.x]\nwhen = \"vehicle_speed != 0\"\nclear = 0",
                "7: [limit] x.clear: a number needs <, <=, > or >= in when, which compares by !=. "
                    + "Try: no clear, which means clear = \"vehicle_speed == 0\""
            ),
            (
                "[limit.x]\nwhen = \"vehicle_speed > 10 and fuel_level < 5\"\nclear = 5",
                "7: [limit] x.clear: a number needs one comparison with a number in when, such as "
                    + "\"battery_charge < 15\". Try: a condition such as clear = \"battery_charge > 20\""
            ),
            (
                "[limit.x]\nwhen = \"vehicle_speed > 10\"\nclear = \"vehicle_speed > 5\"",
                "7: [limit] x.clear: may hold while when holds too, so the limit would begin and end at once. "
                    + "Try: a range that when leaves out"
            ),
            (
                "[derived.x]\nformula = \"engine_speed / (vehicle_speed - vehicle_speed)\"",
                "6: [derived] x.formula: column 16: this divisor is always 0, so there is never a value. "
                    + "Try: another divisor"
            ),
            ("[limit.X]\nwhen = \"fuel_level < 15\"", "5: [limit] X: \(CustomTableReader.nameRule)"),
            (
                "[vehicle]\nfuel = \"petrol\"",
                "6: [vehicle] fuel: \"petrol\" is not one of gasoline, diesel, ethanol, methanol, lpg"
            ),
            (
                "[vehicle]\nengine_displacement = 1600",
                "6: [vehicle] engine_displacement: 1600 is out of range. Try: 0.05 to 100"
            ),
        ]
    )
    func problem(_ text: String, _ expected: String) {
        #expect(problems(shortest + text) == "agent.toml:\(expected)")
    }

    @Test("A name that a detected model may have is no mistake if the agent detects models")
    func detected() throws {
        let text =
            "[derived.x]\nformula = \"hv_battery_power / 2\"\n[parameters]\nsets = \"detect\"\ncatalog = \"/a\"\n"
        #expect(try Self.derived(text)["x"] != nil)
    }

    @Test("Two readings of the same file are equal")
    func equality() throws {
        let text = shortest + "[derived.x]\nformula = \"engine_speed * 2\"\n[limit.y]\nwhen = \"x > 1\"\n"
        #expect(try configuration(text).computed == configuration(text).computed)
        let other = text.replacing("* 2", with: "* 3")
        #expect(try configuration(text).computed != configuration(other).computed)
    }
}
