// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import Contract
import Drive
import EventLoop
import HomeAssistant
import OBD2

/// The custom parameters that are known now: the configured ones, and those of the detected model's signal set.
///
/// The latter belong to the vehicle whose topics are in use, and are replaced together with the topics.
final class KnownParameters: Sendable {
    /// The signal set of a vehicle's model.
    struct SignalSet: Sendable {
        var detected: DetectedSet
        var parameters: [CustomParameter]
        var intervals: [ParameterKey: Duration]
    }

    private struct State: Sendable {
        /// The vehicle's topic level.
        var vehicle = ""
        /// The marks by which the store may know the vehicle.
        var marks: Set<String> = []
        /// The set of the vehicle's model; nil if none is known.
        var set: SignalSet?
    }

    /// The parameters of the configuration.
    let configured: [CustomParameter]
    /// The derived parameters.
    let derived: [DerivedParameter]
    private let parking: Configuration.Parking
    private let state = Locked(State())

    init(_ configuration: Configuration) {
        (self.configured, self.parking) = (configuration.custom, configuration.parking)
        self.derived = configuration.computed.derived
    }

    /// The set of the model of the vehicle whose topics are in use; nil if none is known.
    private var set: SignalSet? { self.state.withLock { $0.set } }

    /// All parameters that are known of the vehicle whose topics are in use.
    var all: [CustomParameter] { self.configured + (self.set?.parameters ?? []) }

    /// The names of all parameters that are known of the vehicle whose topics are in use.
    var names: Set<String> { Set(self.all.map(\.name)) }

    /// The names of the derived parameters that no custom one hides.
    var derivedNames: Set<String> { Set(self.derived.map(\.name)).subtracting(self.names) }

    /// The values of the derived parameters, as Home Assistant shows them.
    var derivedValues: [VehicleValue] { self.derived.map { VehicleValue(derived: $0.field, title: $0.title) } }

    /// The parameters that are read while the vehicle is charged.
    var charging: [ParameterKey] {
        guard self.parking.choosesCharging, let set = self.set else { return self.parking.charging }
        let own = set.parameters.filter { $0.role.map(Configuration.Parking.chargingRoles.contains) ?? false }
        return self.parking.charging + own.map { .custom($0.name) }
    }

    /// The signal set of the vehicle whose topics are in use, as `vehicle` reports it; nil if none is known.
    var report: VehicleReport.SignalSet? {
        self.set.map { set in
            VehicleReport.SignalSet(
                name: set.detected.set ?? "",
                year: set.detected.year,
                share: set.detected.share,
                detected: set.detected.time
            )
        }
    }

    /// Returns the name of the signal set that is known of a vehicle; nil if none is.
    func setName(of vehicle: String) -> String? {
        self.state.withLock { $0.vehicle == vehicle ? $0.set?.detected.set : nil }
    }

    /// Returns the parameters that only the vehicle with one of these marks has.
    func own(of marks: [String]) -> [CustomParameter] {
        self.state.withLock { $0.marks.isDisjoint(with: marks) ? [] : $0.set?.parameters ?? [] }
    }

    /// Returns the names of the parameters that are known of a vehicle, and the intervals that its set brings.
    func known(of vehicle: String) -> (names: Set<String>, intervals: [ParameterKey: Duration]) {
        let set = self.state.withLock { $0.vehicle == vehicle ? $0.set : nil }
        let names = Set((self.configured + (set?.parameters ?? [])).map(\.name))
        return (names, set?.intervals ?? [:])
    }

    /// Replaces the former vehicle's set, because the topics of another vehicle are in use.
    ///
    /// - Parameter marks: the marks by which the store may know the vehicle; none if they are unknown.
    func turn(to vehicle: String, _ marks: [String], _ set: SignalSet?) {
        self.state.withLock { $0 = State(vehicle: vehicle, marks: Set(marks), set: set) }
    }

    /// Replaces the set of a vehicle.
    ///
    /// - Returns: whether its topics are in use; of another vehicle, nothing changes.
    func replace(_ set: SignalSet?, of vehicle: String) -> Bool {
        self.state.withLock { state in
            guard state.vehicle == vehicle else { return false }
            state.set = set
            return true
        }
    }

    /// Takes over the marks of the vehicle whose topics are in use, because it is identified.
    ///
    /// - Returns: whether the vehicle's parameters are now known of marks that had none.
    func identify(_ marks: [String]) -> Bool {
        self.state.withLock { state in
            let isNew = state.marks.isDisjoint(with: marks)
            state.marks = Set(marks)
            return isNew && state.set != nil
        }
    }
}
