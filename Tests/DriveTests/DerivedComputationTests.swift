// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("Derived parameters")
struct DerivedComputationTests {
    private func time(_ seconds: Double) -> MonotonicTime { .zero + .milliseconds(Int64(seconds * 1000)) }

    private func reading(_ name: String, _ value: Double, _ seconds: Double) -> Reading {
        Reading(name, value, nil, at: self.time(seconds))
    }

    private func sum(_ name: String, _ formula: String, range: ClosedRange<Double> = -1e6...1e6) throws
        -> DerivedParameter
    {
        DerivedParameter(Field(derived: name, range: range), ways: [DerivedParameter.Way(try Expression(formula))])
    }

    private func plan(_ values: [String], every seconds: Int = 1) -> Derivation {
        Derivation(
            way: 0,
            values: Dictionary(values.map { ($0, $0) }) { first, _ in first },
            interval: .seconds(seconds)
        )
    }

    @Test("A value comes once all its sources are there, and again once all are newer")
    func freshness() throws {
        var computation = DerivedComputation([try self.sum("sum", "a + b")])
        computation.derivationsChanged(to: ["sum": self.plan(["a", "b"])])
        #expect(computation.receive([self.reading("a", 1, 0)]).isEmpty)
        #expect(computation.receive([self.reading("b", 2, 0.1)]).map(\.value) == [3])
        #expect(computation.receive([self.reading("a", 10, 1)]).isEmpty)
        let second = computation.receive([self.reading("b", 20, 1.1)])
        #expect(second == [Reading("sum", 30, nil, at: self.time(1.1))])
    }

    @Test("A source that is late does not hold the value up for more than twice the interval")
    func lateSource() throws {
        var computation = DerivedComputation([try self.sum("sum", "a + b")])
        computation.derivationsChanged(to: ["sum": self.plan(["a", "b"])])
        _ = computation.receive([self.reading("b", 2, 0), self.reading("a", 1, 0)])
        #expect(computation.receive([self.reading("a", 5, 1)]).isEmpty)
        #expect(computation.receive([self.reading("a", 6, 2)]).map(\.value) == [8])
    }

    @Test("Fast sources do not make the value come more often than its interval")
    func rate() throws {
        var computation = DerivedComputation([try self.sum("double", "a * 2")])
        computation.derivationsChanged(to: ["double": self.plan(["a"], every: 5)])
        let count = (0..<200).count { step in
            !computation.receive([self.reading("a", 1, Double(step) * 0.1)]).isEmpty
        }
        #expect(4...6 ~= count)
    }

    @Test("A source that is too old leaves no value, and neither does a value outside of the range")
    func noValue() throws {
        var computation = DerivedComputation([try self.sum("sum", "a + b", range: 0...100)])
        computation.derivationsChanged(to: ["sum": self.plan(["a", "b"])])
        _ = computation.receive([self.reading("a", 1, 0)])
        #expect(computation.receive([self.reading("b", 2, 10.5)]).isEmpty)
        #expect(computation.receive([self.reading("a", 99, 10.6)]).isEmpty)
        #expect(computation.receive([self.reading("a", 98, 10.7)]).map(\.value) == [100])
    }

    @Test("Nothing is computed that nothing needs, or of another vehicle")
    func needs() throws {
        var computation = DerivedComputation([try self.sum("double", "a * 2")])
        #expect(computation.receive([self.reading("a", 1, 0)]).isEmpty)
        computation.derivationsChanged(to: ["double": Derivation(way: 0, values: ["a": "a"])])
        #expect(computation.receive([self.reading("a", 1, 1)]).isEmpty)
        computation.derivationsChanged(to: ["double": self.plan(["a"])])
        #expect(computation.receive([self.reading("a", 1, 2)]).count == 1)
        computation.vehicleChanged()
        #expect(computation.receive([self.reading("a", 1, 9)]).isEmpty)
    }

    @Test("A derived parameter can be computed from another, from the same readings")
    func nested() throws {
        var computation = DerivedComputation([
            try self.sum("double", "a * 2"), try self.sum("quadruple", "double * 2 + b"),
        ])
        computation.derivationsChanged(to: [
            "double": self.plan(["a"]), "quadruple": self.plan(["double", "b"]),
        ])
        let values = computation.receive([self.reading("b", 1, 0), self.reading("a", 3, 0)])
        #expect(values.map(\.name) == ["double", "quadruple"])
        #expect(values.map(\.value) == [6, 13])
    }

    // MARK: - Ready parameters

    /// Computes a ready parameter by one of its ways.
    private func ready(
        _ name: String,
        _ values: [String: Double],
        _ engine: EngineFacts = EngineFacts(),
        where isWanted: (DerivedParameter.Way) -> Bool = { _ in true }
    ) throws -> Double? {
        let parameter = try #require(DerivedParameter.ready(engine).first { $0.name == name })
        let index = parameter.ways.firstIndex(where: isWanted)
        let way = try #require(index)
        var computation = DerivedComputation([parameter])
        let names = parameter.ways[way].sources.allNames
        computation.derivationsChanged(to: [
            name: Derivation(
                way: way,
                values: Dictionary(names.map { ($0, $0) }) { first, _ in first },
                interval: .seconds(1)
            )
        ])
        return computation.receive(values.map { Reading($0.key, $0.value, nil, at: .zero) }).first?.value
    }

    @Test("Fuel flow follows from the air flow, the equivalence ratio and the fuel of PID 51")
    func fuelFlow() throws {
        let isWanted = { (way: DerivedParameter.Way) in
            way.formula.names.contains("mass_air_flow") && way.formula.names.contains("commanded_equivalence_ratio")
        }
        var values = ["mass_air_flow": 14.7, "commanded_equivalence_ratio": 1.0, "fuel_type": 1]
        // 1 g/s of gasoline is 3.6 kg/h, and 3.6 / 0.745 L/h.
        let gasoline = try #require(try self.ready("fuel_flow", values, where: isWanted))
        #expect(abs(gasoline - 4.832) < 0.001)
        values["commanded_equivalence_ratio"] = 2
        let lean = try #require(try self.ready("fuel_flow", values, where: isWanted))
        #expect(abs(lean - 2.416) < 0.001)
        values["fuel_type"] = 8
        #expect(try self.ready("fuel_flow", values, where: isWanted) == nil)
    }

    @Test("A diesel engine has no fuel flow by air flow alone")
    func diesel() throws {
        let isWanted = { (way: DerivedParameter.Way) in
            way.formula.names.contains("mass_air_flow") && !way.formula.names.contains("commanded_equivalence_ratio")
        }
        #expect(try self.ready("fuel_flow", ["mass_air_flow": 14.7, "fuel_type": 4], where: isWanted) == nil)
        #expect(try self.ready("fuel_flow", ["mass_air_flow": 14.7, "fuel_type": 1], where: isWanted) != nil)
        let ways = try #require(DerivedParameter.ready(EngineFacts(fuel: .diesel)).first { $0.name == "fuel_flow" })
            .ways
        #expect(!ways.contains(where: isWanted))
    }

    @Test("Speed and density need the displacement, and the assumption says so")
    func speedAndDensity() throws {
        let isWanted = { (way: DerivedParameter.Way) in way.formula.names.contains("intake_manifold_pressure") }
        let without = try #require(DerivedParameter.ready(EngineFacts()).first { $0.name == "fuel_flow" })
        #expect(!without.ways.contains(where: isWanted))
        let engine = EngineFacts(fuel: .gasoline, displacement: 2)
        let values = [
            "intake_manifold_pressure": 40.0, "engine_speed": 2000, "intake_air_temperature": 25,
            "commanded_equivalence_ratio": 1,
        ]
        let flow = try #require(try self.ready("fuel_flow", values, engine, where: isWanted))
        // 40 kPa, 2 L, 0.85, 16.67 fillings a second, 11.68 g/mol K: 13.24 g/s of air.
        #expect(abs(flow - 13.24 / 14.7 * 3.6 / 0.745) < 0.02)
        let way = try #require(
            DerivedParameter.ready(engine).first { $0.name == "fuel_flow" }?.ways.first(where: isWanted)
        )
        #expect(way.assumes?.contains("volumetric efficiency 0.85 (usual, not measured)") == true)
    }

    @Test(
        "Each ready parameter has the known figure",
        arguments: [
            ("fuel_consumption", ["fuel_flow": 5, "vehicle_speed": 100], 5.0),
            ("fuel_economy", ["fuel_flow": 5, "vehicle_speed": 100], 47.043),
            (
                "engine_power",
                ["actual_torque": 60, "friction_torque": 10, "reference_torque": 400, "engine_speed": 3000], 62.832
            ),
            ("overall_gear_ratio", ["engine_speed": 3000, "vehicle_speed": 100], 30),
            ("manifold_boost", ["intake_manifold_pressure": 180, "barometric_pressure": 98], 82),
            ("electric_consumption", ["traction_battery_power": 20, "vehicle_speed": 100], 20),
        ] as [(String, [String: Double], Double)]
    )
    func figures(_ name: String, _ values: [String: Double], _ expected: Double) throws {
        let value = try #require(try self.ready(name, values))
        #expect(abs(value - expected) < 0.01)
    }

    @Test("Nothing has a figure at standstill that is divided by the speed")
    func standstill() throws {
        #expect(try self.ready("fuel_consumption", ["fuel_flow": 1, "vehicle_speed": 0]) == nil)
        #expect(try self.ready("overall_gear_ratio", ["engine_speed": 800, "vehicle_speed": 0]) == nil)
    }

    @Test("No ready parameter has the name of a value, a role or a parameter of the catalogue")
    func names() {
        for parameter in DerivedParameter.ready(EngineFacts(displacement: 1.6)) {
            #expect(Parameter.named(parameter.name) == nil)
            #expect(ParameterRole(rawValue: parameter.name) == nil)
            #expect(!parameter.ways.isEmpty)
        }
    }
}
