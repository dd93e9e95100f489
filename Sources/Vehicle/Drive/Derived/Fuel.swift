// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A fuel, with the constants by which an air flow becomes a volume of fuel.
///
/// The stoichiometric ratios are those of J. B. Heywood, Internal Combustion Engine Fundamentals, appendix D. The densities
/// at 15 °C lie in the middle of what EN 228, EN 590 and EN 589 allow; those of alcohols are of the pure substances.
package enum Fuel: String, CaseIterable, Hashable, Sendable {
    case gasoline, diesel, ethanol, methanol
    case liquefiedGas = "lpg"

    /// The mass of air that burns a unit of mass of the fuel.
    package var stoichiometricRatio: Double {
        switch self {
        case .gasoline: 14.7
        case .diesel: 14.5
        case .ethanol: 9.0
        case .methanol: 6.47
        case .liquefiedGas: 15.6
        }
    }

    /// The density in kg/L.
    package var density: Double {
        switch self {
        case .gasoline: 0.745
        case .diesel: 0.835
        case .ethanol: 0.789
        case .methanol: 0.792
        case .liquefiedGas: 0.54
        }
    }

    /// Whether an engine that burns it has, without an equivalence ratio, about as much air as the fuel needs.
    ///
    /// A diesel engine has more.
    package var burnsAtStoichiometry: Bool { self != .diesel }

    /// Finds the fuel of a code of PID 51 (SAE J1979-DA); nil for a mixture, a gas, or a vehicle without an engine.
    package init?(code: Int) {
        switch code {
        case 1, 9, 17: self = .gasoline
        case 2, 10: self = .methanol
        case 3, 11, 18: self = .ethanol
        case 4, 19, 25: self = .diesel
        case 5, 7, 12, 14: self = .liquefiedGas
        default: return nil
        }
    }
}
