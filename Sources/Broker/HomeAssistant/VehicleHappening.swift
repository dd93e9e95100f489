// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

/// A kind of events of the vehicle that Home Assistant shows as one entity: its raw value is the key of the entity.
enum VehicleHappening: String, CaseIterable, Hashable, Sendable {
    case codes = "code-event"
    case lamp = "lamp-event"
    case battery = "battery-event"
    case trip = "trip-event"

    /// The events of the agent that the entity shows.
    var events: [AgentEvent.Kind] {
        switch self {
        case .codes: [.codeAppeared, .codeFound, .codeGone]
        case .lamp: [.milOn, .milOff]
        case .battery: [.batteryLow, .chargingStarted, .chargingStopped]
        case .trip: [.trip]
        }
    }

    var name: String {
        switch self {
        case .codes: "Trouble code event"
        case .lamp: "Warning lamp event"
        case .battery: "Battery event"
        case .trip: "Trip event"
        }
    }

    /// The members of the event that become attributes, besides its time; all of the trip's.
    var members: [String] {
        switch self {
        case .codes: ["code", "description", "ecu", "states"]
        case .lamp: []
        case .battery: ["voltage", "state_of_charge", "energy", "duration"]
        case .trip: []
        }
    }

    var icon: String {
        switch self {
        case .codes: "mdi:car-wrench"
        case .lamp: "mdi:engine"
        case .battery: "mdi:car-battery"
        case .trip: "mdi:road-variant"
        }
    }
}
