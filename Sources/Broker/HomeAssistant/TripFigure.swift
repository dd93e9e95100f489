// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// A figure of the vehicle's trips that Home Assistant shows: its raw value is the key of the entity.
package enum TripFigure: String, CaseIterable, Hashable, Sendable {
    case distance = "trip-distance"
    case duration = "trip-duration"
    case fuelConsumption = "trip-fuel-consumption"
    case energyConsumption = "trip-energy-consumption"
    case totalDistance = "total-distance"
    case totalFuel = "total-fuel"
    case totalEnergy = "total-energy"
    case totalRegenerated = "total-regenerated"

    /// Returns the figures that a payload has.
    package static func known(in state: TripState) -> Set<TripFigure> {
        var figures: Set<TripFigure> = [.duration, .totalDistance]
        if state.trip.distance != nil { figures.insert(.distance) }
        if state.trip.fuelConsumption != nil { figures.insert(.fuelConsumption) }
        if state.trip.energyConsumption != nil { figures.insert(.energyConsumption) }
        if state.totals.fuel != nil { figures.insert(.totalFuel) }
        if state.totals.energy != nil { figures.formUnion([.totalEnergy, .totalRegenerated]) }
        return figures
    }

    var name: String {
        switch self {
        case .distance: "Last trip distance"
        case .duration: "Last trip duration"
        case .fuelConsumption: "Last trip fuel consumption"
        case .energyConsumption: "Last trip energy consumption"
        case .totalDistance: "Driven distance"
        case .totalFuel: "Used fuel"
        case .totalEnergy: "Used energy"
        case .totalRegenerated: "Regenerated energy"
        }
    }

    /// The member of the payload, and its default in a template.
    var value: String {
        switch self {
        case .distance: "value_json.trip.distance | default(None)"
        case .duration: "(value_json.trip.duration / 60) | round(1)"
        case .fuelConsumption: "value_json.trip.fuel_consumption | default(None)"
        case .energyConsumption: "value_json.trip.energy_consumption | default(None)"
        case .totalDistance: "value_json.totals.distance"
        case .totalFuel: "value_json.totals.fuel | default(None)"
        case .totalEnergy: "value_json.totals.energy | default(None)"
        case .totalRegenerated: "value_json.totals.regenerated | default(None)"
        }
    }

    var unit: String {
        switch self {
        case .distance, .totalDistance: "km"
        case .duration: "min"
        case .fuelConsumption: "L/100 km"
        case .energyConsumption: "kWh/100 km"
        case .totalFuel: "L"
        case .totalEnergy, .totalRegenerated: "kWh"
        }
    }

    /// The device class of Home Assistant; nil if none has the unit.
    var deviceClass: String? {
        switch self {
        case .distance, .totalDistance: "distance"
        case .duration: "duration"
        case .fuelConsumption, .energyConsumption: nil
        case .totalFuel: "volume"
        case .totalEnergy, .totalRegenerated: "energy"
        }
    }

    /// Whether the figure only grows.
    var isTotal: Bool {
        switch self {
        case .totalDistance, .totalFuel, .totalEnergy, .totalRegenerated: true
        case .distance, .duration, .fuelConsumption, .energyConsumption: false
        }
    }
}
