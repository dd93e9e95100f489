// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
internal import OBD2

/// A kind of vehicle: its drive, its bus, and the ECUs with the requests that they answer.
package struct VehicleModel: Sendable {
    /// The name for the command line, such as `electric-leaf`.
    package let name: String
    /// A one-line description for the user.
    package let summary: String
    package let powertrain: PowertrainKind
    /// The bus at the diagnostic connector.
    package let bus: BusProtocol
    /// The ECUs that answer functional requests of SAE J1979, in the order of their replies.
    let ecus: [OBDECU]
    /// The services that these ECUs support; nil for all.
    let services: Set<Service>?
    /// The ECUs that answer requests of the maker.
    package let sideECUs: [SideECU]
    /// The traction battery, if the vehicle has one.
    let battery: TractionBattery?

    /// An ECU that answers functional requests.
    struct OBDECU: Sendable {
        let ecu: ECU
        /// The parameters of service 01; nil for those of the combustion model.
        var pids: [PID]?
        /// Whether the ECU answers while the vehicle charges.
        var reportsCharge = false
        /// Whether `--ecus` can leave the ECU out.
        var isOptional = false
    }

    /// Returns the ECUs of a vehicle with at most `count` of the ECUs that can be left out.
    func ecus(_ count: Int) -> [ECU] {
        let optional = self.ecus.filter(\.isOptional).prefix(max(1, count)).map(\.ecu)
        return self.ecus.map(\.ecu).filter { ecu in
            optional.contains(ecu) || self.ecus.contains { $0.ecu == ecu && !$0.isOptional }
        }
    }

    /// Returns the parameters of `ecu`; nil for those of the combustion model.
    func pids(of ecu: ECU) -> [PID]? { self.ecus.first { $0.ecu == ecu }?.pids }

    /// Whether `ecu` answers while the vehicle charges.
    func reportsCharge(_ ecu: ECU) -> Bool { self.ecus.contains { $0.ecu == ecu && $0.reportsCharge } }

    /// Returns the model with this name, such as `electric`.
    package static func named(_ name: String) -> VehicleModel? { self.all.first { $0.name == name } }
}

/// The parts that move a vehicle.
package enum PowertrainKind: Hashable, Sendable {
    case combustion
    /// The engine stops while the vehicle stands.
    case mildHybrid
    /// The engine also stops for stretches of a drive.
    case hybrid
    /// The engine helps a motor, and the traction battery is charged from outside.
    case plugIn
    case electric

    /// Whether the vehicle is charged from outside.
    var isChargeable: Bool { self == .plugIn || self == .electric }
    /// Whether a DC-DC converter feeds the 12 V supply instead of an alternator.
    var hasConverter: Bool { self == .hybrid || self.isChargeable }

    /// Whether the engine runs in a moment of a drive.
    ///
    /// - Parameters:
    ///   - charge: the state of charge of the traction battery in %.
    ///   - dice: the choice of the stretches that a hybrid drives electrically, by blocks of 20 s.
    func runsEngine(in moment: DriveCycle.Moment, charge: Double, _ dice: Dice) -> Bool {
        guard moment.engineRuns else { return false }
        switch self {
        case .combustion: return true
        case .mildHybrid: return moment.speed > 0 || moment.runTime < 8
        case .plugIn where charge > 20: return moment.speed > 118 || moment.speed > 60 && moment.acceleration > 1.5
        case .hybrid, .plugIn:
            if moment.speed > 98 || moment.acceleration > 0.9 { return true }
            guard moment.speed > 25, moment.acceleration > -0.05 else { return false }
            return dice[1_000_000 + Int(moment.totalRunTime / 20)] < 0.5
        case .electric: return false
        }
    }
}

/// A traction battery, and the energy that the vehicle takes from it.
struct TractionBattery: Sendable {
    /// kWh.
    let capacity: Double
    /// The voltage without load, from empty to full, in V.
    let voltage: ClosedRange<Double>
    /// kWh per 100 km.
    let consumption: Double
    /// The greatest power of the charger in kW.
    let charger: Double

    /// The resistance in Ω.
    private static let resistance = 0.06

    /// Sets the values of the battery in `state`, whose charge and charger power are set.
    ///
    /// - Parameter acceleration: in m/s².
    func apply(to state: inout VehicleState, acceleration: Double) {
        let unloaded =
            self.voltage.lowerBound + (self.voltage.upperBound - self.voltage.lowerBound) * state.stateOfCharge / 100
        let meters = state.vehicleSpeed / 3.6
        // The forces on a car of 1900 kg: inertia, rolling resistance and drag. Braking recovers most of the energy.
        let force = 1900 * acceleration + (meters > 0 ? 190 : 0) + 0.42 * meters * meters
        let wheels = state.engineRuns ? 0 : force * meters / 1000
        state.motorPower = wheels > 0 ? wheels / 0.9 : max(-60, wheels * 0.7)
        state.motorSpeed = state.engineRuns ? 0 : state.vehicleSpeed * 78
        let auxiliary = state.ready ? 0.6 : 0
        let power = state.motorPower + auxiliary - state.chargerPower
        state.tractionCurrent = power * 1000 / unloaded
        state.tractionVoltage = unloaded - state.tractionCurrent * Self.resistance
        state.range = state.stateOfCharge / 100 * self.capacity / self.consumption * 100
    }
}
