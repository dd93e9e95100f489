// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote

@testable import Subscriber

/// The dashboard of a driving car.
enum DashboardScene {
    /// 2026-11-21T10:00:00Z.
    static let date = Timestamp(milliseconds: 1_795_255_200_000)
    static let now = ViewerTime(at(100), date)

    private static let status = #"""
        {"link": "connected", "vehicle_confirmed": true, "ignition": "running", "live_within": 60,
        "adapter": {"voltage": 14.2}}
        """#
    /// The topics that tell whether values are measured now.
    static let facts = [("availability", "online"), ("status", Self.status)]
    private static let codes = #"""
        {"known": true, "mil": true, "time": "2026-11-21T09:59:00.000Z", "codes": [
        {"code": "P0301", "ecu": "7E8", "states": ["stored", "permanent"], "description": "Misfire in cylinder 1",
        "freeze_frame": {"values": {}}},
        {"code": "P0420", "ecu": "7E8", "states": ["pending"], "description": "Catalyst efficiency"},
        {"code": "P0420", "ecu": "7E9", "states": ["stored"], "description": "Catalyst efficiency"}]}
        """#

    /// Returns the dashboard of a driving car with a petrol engine, after several values of its parameters.
    static func dashboard(
        columns: Int,
        rows: Int = 24,
        isColored: Bool = false,
        fuel: String = "gasoline"
    ) throws -> Dashboard {
        var dashboard = Dashboard(
            fleetTopics,
            vehicle: "van-12",
            size: .init(columns: columns, rows: rows),
            isColored: isColored
        )
        dashboard.connected(at: at(99))
        func receive(_ path: String, _ payload: String) throws {
            dashboard.receive(try message("van-12/\(path)", payload), at: at(100))
        }
        func receive(_ name: String, _ value: Double, _ unit: String) throws {
            try receive("parameters/\(name)", #"{"value": \#(value), "unit": "\#(unit)", "ecu": "7E8"}"#)
        }
        for (path, payload) in Self.facts { try receive(path, payload) }
        try receive("vehicle", #"{"vin": "WVWZZZ1KZ6W612305", "selected": {"engine_speed": 0.5}}"#)
        try receive("codes", Self.codes)
        try receive("parameters/fuel_type", #"{"value": 1, "label": "\#(fuel)", "ecu": "7E8"}"#)
        try receive("vehicle_speed", 62, "km/h")
        try receive("engine_speed", 4250, "rpm")
        try receive("coolant_temperature", 117, "°C")
        try receive("fuel_level", 8.6, "%")
        try receive("intake_manifold_pressure", 35, "kPa")
        try receive("o2_sensor_b1s1_lambda", 0.955, "ratio")
        for step in 0..<20 { try receive("engine_load", Double(step * step % 37), "%") }
        return dashboard
    }

    /// Returns the dashboard of a vehicle of which these messages came, besides ``facts``.
    static func dashboard(with messages: [(String, String)]) throws -> Dashboard {
        var dashboard = Dashboard(fleetTopics, vehicle: "van-12", size: .init(columns: 80, rows: 24), isColored: false)
        dashboard.connected(at: at(99))
        for (path, payload) in Self.facts + messages {
            dashboard.receive(try message("van-12/\(path)", payload), at: at(100))
        }
        return dashboard
    }

    /// Returns the lines without the blanks at their ends.
    static func trimmed(_ lines: [String]) -> [String] {
        lines.map { line in line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? "" }
    }
}
