// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote

@testable import Subscriber

/// A vehicle that the tests of the dashboard look at.
enum DashboardVehicle: String, CaseIterable, Sendable {
    case driving, parked, electric, faulty, lost

    /// A minute and a half of watching ends at ``DashboardScene/now``.
    private static let start = 10.0

    /// Returns the dashboard of the vehicle.
    func dashboard(columns: Int, rows: Int, isColored: Bool = false) throws -> Dashboard {
        var dashboard = Dashboard(
            fleetTopics,
            vehicle: "van-12",
            from: .broker("broker.example"),
            size: .init(columns: columns, rows: rows),
            isColored: isColored
        )
        dashboard.connected(at: at(Self.start - 1))
        for (second, path, payload) in self.messages {
            var message = try message("van-12/\(path)", payload)
            // A parked vehicle is silent: all its values are those that the broker has kept.
            message.retain = self == .parked
            dashboard.receive(message, at: at(second))
        }
        if self == .lost { dashboard.connectionLost("The connection was lost", at: at(93)) }
        return dashboard
    }

    /// The messages with their times.
    private var messages: [(second: Double, path: String, payload: String)] {
        let facts = [
            ("availability", "online"), ("status", self.status), ("vehicle", self.identity), ("codes", self.codes),
            ("monitors", Self.monitors), ("trip", Self.trip(isOngoing: self != .parked)), ("position", Self.position),
            ("limits", self == .faulty ? Self.exceeded : Self.kept), ("finding", self == .faulty ? Self.finding : ""),
        ]
        let events = self == .faulty || self == .lost ? Self.events : []
        return facts.map { (Self.start, $0, $1) } + self.values + events
    }

    // MARK: - Values

    private var values: [(Double, String, String)] {
        let time = "2026-11-20T22:14:00.000Z"
        switch self {
        case .parked:
            return Self.engine.map { name, unit, number in
                let payload = #"{"value": \#(number(0)), "unit": "\#(unit)", "time": "\#(time)", "quality": "good"}"#
                return (Self.start, "parameters/\(name)", payload)
            } + Self.texts.map { (Self.start, $0, $1) }
        case .electric: return Self.course(Self.battery) + Self.charging.map { (Self.start, $0, $1) }
        default: return Self.course(Self.engine) + Self.texts.map { (Self.start + 80, $0, $1) }
        }
    }

    /// A value with its unit, and its number a while after the start.
    private typealias Curve = (name: String, unit: String, number: @Sendable (Double) -> Double)

    private static func course(_ curves: [Curve]) -> [(Double, String, String)] {
        stride(from: 0.0, through: 90, by: 2).flatMap { second in
            curves.map { name, unit, number in
                let payload = #"{"value": \#(number(second)), "unit": "\#(unit)", "ecu": "7E8"}"#
                return (Self.start + second, "parameters/\(name)", payload)
            }
        }.filter { $0.0 < 93 || $0.0 > 95 }
    }

    private static let engine: [Curve] = [
        ("vehicle_speed", "km/h", { 62 + ($0 / 6).rounded(.down) }),
        ("engine_speed", "rpm", { 1800 + 30 * $0 }),
        ("coolant_temperature", "°C", { 72 + ($0 / 3).rounded(.down) }),
        ("fuel_level", "%", { _ in 8.6 }),
        ("control_module_voltage", "V", { 14.2 - $0 / 500 }),
        ("intake_manifold_pressure", "kPa", { 35 + $0 / 2 }),
        ("engine_load", "%", { Double(Int($0 * $0) % 37) }),
        ("throttle_position", "%", { 15 + Double(Int($0) % 20) }),
        ("intake_air_temperature", "°C", { _ in 21 }),
        ("ambient_air_temperature", "°C", { _ in 18 }),
        ("mass_air_flow", "g/s", { 12.5 + $0 / 10 }),
        ("short_fuel_trim_1", "%", { Double(Int($0) % 9) - 4 }),
        ("o2_sensor_b1s1_lambda", "ratio", { 0.955 + $0 / 2000 }),
        ("catalyst_temperature_b1s1", "°C", { 610 + $0 }),
        ("odometer", "km", { _ in 182_345.6 }),
        ("oil_pressure", "bar", { _ in 2.25 }),
    ]
    private static let texts = [
        ("parameters/fuel_type", #"{"value": 1, "label": "gasoline", "ecu": "7E8"}"#),
        ("parameters/fuel_system_status", #"{"value": 2, "label": "closed loop", "ecu": "7E8"}"#),
    ]
    private static let battery: [Curve] = [
        ("vehicle_speed", "km/h", { _ in 0 }), ("soc", "%", { 64 + $0 / 60 }), ("left", "km", { 211 + $0 / 30 }),
        ("charger", "kW", { 6.9 - $0 / 900 }), ("pack_voltage", "V", { 392 + $0 / 20 }),
        ("pack_temperature", "°C", { _ in 24 }), ("control_module_voltage", "V", { _ in 14.1 }),
        ("ambient_air_temperature", "°C", { _ in 18 }),
    ]
    private static let charging = [
        ("parameters/ac", #"{"value": true}"#),
        ("parameters/state", #"{"value": 5, "label": "Charging"}"#),
    ]

    // MARK: - Facts

    private var status: String {
        let use =
            switch self {
            case .parked: #""link": "waiting", "parked": true, "ignition": "off""#
            case .electric: #""link": "connected", "ignition": "charging""#
            default: #""link": "connected", "ignition": "running""#
            }
        return #"""
            {"agent": "12ab", \#(use), "vehicle_confirmed": true, "live_within": 60, "clock": "synchronised",
            "time": "2026-11-21T09:59:30.000Z", "adapter": {"voltage": 14.2}}
            """#
    }

    private var identity: String {
        let roles = #"""
            {"state_of_charge": ["soc"], "range": ["left"], "charging": ["state"], "plugged_in": ["ac"],
            "charger_power": ["charger"], "traction_battery_voltage": ["pack_voltage"],
            "traction_battery_temperature": ["pack_temperature"]}
            """#
        return self == .electric
            ? #"{"vin": "ZZZSMVLATR4700893", "roles": \#(roles), "true_values": {"state": [5, 7]}}"#
            : #"{"vin": "WVWZZZ1KZ6W612305", "selected": {"engine_speed": 0.5}}"#
    }

    private var codes: String {
        guard self == .faulty || self == .lost else {
            return #"{"known": true, "mil": false, "time": "2026-11-21T09:59:00.000Z", "codes": []}"#
        }
        return #"""
            {"known": true, "mil": true, "time": "2026-11-21T09:59:00.000Z", "unread": ["permanent"], "codes": [
            {"code": "P0301", "ecu": "7E8", "states": ["stored", "pending"], "description": "Misfire in cylinder 1",
            "first_seen": "2026-11-21T09:40:00.000Z", "freeze_frame": {"unread": ["fuel_level"], "values": {
            "engine_speed": {"value": 3250.25, "unit": "rpm"}, "coolant_temperature": {"value": 91, "unit": "°C"},
            "vehicle_speed": {"value": 88, "unit": "km/h"}, "fuel_system_status": {"value": 2, "label": "closed loop"}}}},
            {"code": "P0420", "ecu": "7E8", "states": ["pending"], "first_seen": "2026-11-21T09:50:00.000Z",
            "description": "Catalyst efficiency too low, bank 1"},
            {"code": "P0420", "ecu": "7E9", "states": ["stored"], "first_seen": "2026-11-21T09:52:00.000Z",
            "description": "Catalyst efficiency too low, bank 1"}]}
            """#
    }

    private static let monitors = #"""
        {"time": "2026-11-21T09:59:00.000Z", "mil": false, "code_count": 0, "ignition": "spark", "monitors": {
        "misfire": "complete", "fuel": "complete", "components": "complete", "catalyst": "incomplete",
        "evap": "incomplete", "o2_sensor": "complete"}, "tests": {"time": "2026-11-19T10:00:00.000Z", "results": [
        {"ecu": "7E8", "service": "06", "monitor": "21", "test": "80", "subject": "catalyst bank 1", "value": 0.31,
        "minimum": 0, "maximum": 0.25, "unit": "V", "verdict": "failed"},
        {"ecu": "7E8", "service": "06", "monitor": "01", "test": "85", "subject": "O2 sensor B1S1", "value": 0.8,
        "minimum": 0.1, "maximum": 0.9, "unit": "V", "verdict": "passed"}]}}
        """#
    private static func trip(isOngoing: Bool) -> String {
        #"""
        {"time": "2026-11-21T09:59:30.000Z", "clock": "synchronised", "ongoing": \#(isOngoing), "trip": {"start": {},
        "end": {"time": "2026-11-20T22:14:00.000Z"}, "duration": 1860, "distance": 25.21, "fuel": 1.6,
        "fuel_consumption": 6.42, "mean_speed": 48.8, "maximum_speed": 121}}
        """#
    }
    private static let position = #"""
        {"clock": "synchronised", "quality": "good", "time": "2026-11-21T09:59:48.000Z", "latitude": 52.51628,
        "longitude": 13.3777, "accuracy": 7.2}
        """#
    private static let kept = #"{"limits": {"hot": {"when": "coolant_temperature > 110", "exceeded": false}}}"#
    private static let exceeded = #"""
        {"limits": {"hot": {"when": "coolant_temperature > 100", "exceeded": true, "since": "2026-11-21T09:58:00.000Z"},
        "weak": {"when": "supply_voltage < 11.9"}}}
        """#
    private static let finding = #"""
        {"severity": "attention", "issuer": "anna", "time": "2026-11-21T08:00:00.000Z", "codes": ["P0301"],
        "text": "Misfire on cylinder 1 only while warm.\nThe coil is cracked: replace it, then read the codes again."}
        """#
    private static let events: [(Double, String, String)] = [
        (
            30, "events",
            #"""
            {"agent": "12ab", "epoch": 1, "seq": 7, "time": "2026-11-21T09:58:50.000Z", "clock": "synchronised",
            "event": "code_appeared", "code": "P0301", "ecu": "7E8", "description": "Misfire in cylinder 1",
            "states": ["stored"]}
            """#
        ),
        (
            40, "events",
            #"""
            {"agent": "12ab", "epoch": 1, "seq": 8, "time": "2026-11-21T09:59:10.000Z", "clock": "synchronised",
            "event": "limit_exceeded", "limit": {"name": "hot", "when": "coolant_temperature > 100", "values": {}}}
            """#
        ),
    ]
}
