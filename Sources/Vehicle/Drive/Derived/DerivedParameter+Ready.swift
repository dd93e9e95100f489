// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

extension DerivedParameter {
    /// Returns the parameters that the agent can compute without a formula of the user, in the order of computation.
    package static func ready(_ engine: EngineFacts) -> [DerivedParameter] {
        [
            DerivedParameter(
                DerivedValue.fuelFlow.field,
                ways: Self.fuelFlow(engine)
            ),
            DerivedParameter(
                DerivedValue.fuelConsumption.field,
                ways: Self.ways([("fuel_flow / vehicle_speed * 100", nil)])
            ),
            DerivedParameter(
                DerivedValue.fuelEconomy.field,
                // A mile has 1.609344 km, a US gallon 3.785411784 L.
                ways: Self.ways(
                    [("(vehicle_speed / 1.609344) / (fuel_flow / 3.785411784)", nil)],
                    assumes: "US gallons"
                )
            ),
            DerivedParameter(
                DerivedValue.enginePower.field,
                // Torque in N·m times 2π/60 rad/s for 1/min, in kW: 1.0472e-4.
                ways: Self.ways(
                    [
                        (
                            "(actual_torque - friction_torque) / 100 * reference_torque * engine_speed * 0.00010472",
                            "power at the crankshaft, without the losses between it and the wheels"
                        ),
                        (
                            "actual_torque / 100 * reference_torque * engine_speed * 0.00010472",
                            "power at the crankshaft with the engine's own friction, which the ECU does not report"
                        ),
                    ],
                    slow: ["reference_torque"]
                )
            ),
            DerivedParameter(
                DerivedValue.overallGearRatio.field,
                ways: Self.ways(
                    [("engine_speed / vehicle_speed", nil)],
                    assumes: "engine speed by vehicle speed: the gear, the final drive and the tires together"
                )
            ),
            DerivedParameter(
                DerivedValue.manifoldBoost.field,
                ways: Self.ways(
                    [("intake_manifold_pressure - barometric_pressure", nil)],
                    slow: ["barometric_pressure"]
                )
            ),
            DerivedParameter(
                DerivedValue.electricConsumption.field,
                ways: Self.ways(
                    [
                        ("traction_battery_power / vehicle_speed * 100", nil),
                        ("traction_battery_voltage * traction_battery_current / 1000 / vehicle_speed * 100", nil),
                    ],
                    assumes: "power and current are positive while the battery is discharged"
                )
            ),
        ]
    }

    /// Returns ways of formulas; `assumes` counts for all that have no assumption of their own.
    private static func ways(
        _ formulas: [(text: String, assumes: String?)],
        slow: Set<String> = [],
        assumes: String? = nil
    ) -> [Way] {
        formulas.compactMap { formula in
            (try? Expression(formula.text)).map {
                Way($0, slowNames: slow, assumes: formula.assumes ?? assumes)
            }
        }
    }

    // MARK: - Fuel

    /// A formula of the fuel flow in L/h, with its text in the assumptions.
    private struct FlowFormula {
        let text: String
        let assumes: String?
        /// Whether the formula holds only for a fuel that burns with as much air as it needs.
        var isStoichiometric = false
    }

    /// The mass of air in g/s that flows into a four-stroke engine.
    ///
    /// The ideal gas law: the molar mass of dry air is 28.965 g/mol, the gas constant 8.31446 J/(mol·K); kPa times L is
    /// J, and a cylinder fills at each second turn of 60 a minute.
    private static let airBySpeedAndDensity =
        "intake_manifold_pressure * engine_displacement * volumetric_efficiency * engine_speed / 120"
        + " * 28.965 / 8.31446 / (intake_air_temperature + 273.15)"

    private static func fuelFlow(_ engine: EngineFacts) -> [Way] {
        var formulas = [
            FlowFormula(text: "fuel_rate_mass_engine * 3.6 / fuel_density", assumes: nil),
            FlowFormula(
                text: "mass_air_flow / commanded_equivalence_ratio / stoichiometric_ratio * 3.6 / fuel_density",
                assumes: "the mixture that is commanded, also while fuel is cut off"
            ),
            FlowFormula(
                text: "mass_air_flow / stoichiometric_ratio * 3.6 / fuel_density",
                assumes: "a stoichiometric mixture, also while fuel is cut off",
                isStoichiometric: true
            ),
        ]
        let efficiency = engine.volumetricEfficiency ?? EngineFacts.usualEfficiency
        if let displacement = engine.displacement {
            let air = Self.airBySpeedAndDensity
            let assumed =
                "air from speed and density: \(displacement) L, volumetric efficiency \(efficiency)"
                + (engine.volumetricEfficiency == nil ? " (usual, not measured)" : "")
            formulas += [
                FlowFormula(
                    text: "\(air) / commanded_equivalence_ratio / stoichiometric_ratio * 3.6 / fuel_density",
                    assumes: "\(assumed); the mixture that is commanded"
                ),
                FlowFormula(
                    text: "\(air) / stoichiometric_ratio * 3.6 / fuel_density",
                    assumes: "\(assumed); a stoichiometric mixture",
                    isStoichiometric: true
                ),
            ]
        }
        let constants = [
            "engine_displacement": engine.displacement ?? 0, "volumetric_efficiency": efficiency,
        ]
        // PID 5E is in L/h already.
        return Self.ways([("fuel_rate", nil)]) + formulas.flatMap { Self.ways($0, engine.fuel, constants) }
    }

    /// Returns the ways of a formula: with the configured fuel, or with that of PID 51, or with that of the ignition.
    private static func ways(_ flow: FlowFormula, _ fuel: Fuel?, _ constants: [String: Double]) -> [Way] {
        guard let formula = try? Expression(flow.text) else { return [] }
        let way = { (source: FuelSource?, constants: [String: Double], text: String) in
            Way(
                formula,
                constants: constants.filter { formula.names.contains($0.key) },
                fuel: source,
                assumes: [text, flow.assumes].compactMap(\.self).joined(separator: "; ")
            )
        }
        if let fuel {
            guard !flow.isStoichiometric || fuel.burnsAtStoichiometry else { return [] }
            var known = constants
            for constant in FuelConstant.allCases { known[constant.rawValue] = constant.value(of: fuel) }
            let text = "\(fuel.rawValue) with \(fuel.density) kg/L, stoichiometric ratio \(fuel.stoichiometricRatio)"
            return [way(nil, known, text)]
        }
        return [
            way(
                flow.isStoichiometric ? .stoichiometricType : .type,
                constants,
                "the usual density and stoichiometric ratio of the fuel that PID 51 names"
            ),
            way(
                flow.isStoichiometric ? .stoichiometricIgnition : .ignition,
                constants,
                "gasoline if the ignition is by spark, else diesel, with the usual density and stoichiometric ratio"
            ),
        ]
    }
}
