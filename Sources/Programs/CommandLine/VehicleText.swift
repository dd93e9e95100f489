// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import EventLoop
import OBD2
import Subscriber

/// The payload of `vehicle` as text.
package struct VehicleText {
    private let report: JSON

    package init(_ report: JSON) {
        self.report = report
    }

    package var lines: [String] {
        [
            "Vehicle  \(self.report["vin"].string ?? "no VIN")\(self.origin)",
            "Bus      \(self.report["protocol"].string ?? "unknown")",
        ] + self.report["ecus"].elements.flatMap(self.lines) + self.roles
    }

    /// The make and the model year by the VIN, in brackets; empty if the VIN tells neither.
    private var origin: String {
        guard let vin = self.report["vin"].string.flatMap({ VIN($0) }) else { return "" }
        let present = SystemClock(trustsSystem: true).timestamp.year
        let year = vin.modelYear(notAfter: present + 1).map { "model year \($0)" }
        let makes = vin.makes.joined(separator: " or ")
        let parts = (makes.isEmpty ? [] : [makes]) + (year.map { [$0] } ?? [])
        return parts.isEmpty ? "" : " (by the VIN: \(parts.joined(separator: ", ")))"
    }

    /// The values with a role, those that count first at the front.
    private var roles: [String] {
        let roles = self.report["roles"].members
        guard !roles.isEmpty else { return [] }
        var table = TextTable()
        for (role, names) in roles { table.append(["  \(role)", names.elements.map(\.shown).joined(separator: " ")]) }
        return ["", "Roles"] + table.lines
    }

    /// Whether the ECUs list their parameters: those on J1939 broadcast values, and list none beforehand.
    private var listsParameters: Bool {
        let dialects = [Dialect.j1939, .manufacturer].map(\.rawValue)
        return !dialects.contains(self.report["dialect"].string ?? "")
    }

    private func lines(of ecu: JSON) -> [String] {
        var table = TextTable()
        func row(_ name: String, _ texts: [JSON]) {
            let texts = texts.filter { $0 != .null }
            if !texts.isEmpty { table.append(["  \(name)", texts.map(\.shown).joined(separator: " ")]) }
        }
        row("calibrations", ecu["calibration_ids"].elements)
        row("verification numbers", ecu["calibration_verification_numbers"].elements)
        row("engine", [ecu["engine_serial_number"]])
        row("type approval", [ecu["type_approval_number"]])
        if self.listsParameters { row("parameters", [.integer(Int64(ecu["supported"].elements.count))]) }
        row("could not be read", ecu["unread"].elements)
        let performance = ecu["in_use_performance"]
        row("ignition cycles", [performance["ignition_cycles"]])
        row("monitoring conditions", [performance["monitoring_conditions"]])
        for (monitor, counts) in performance["monitors"].members {
            row(monitor, [.string("\(counts["completions"].shown) of \(counts["conditions"].shown)")])
        }
        return ["", "ECU      \(ecu["ecu"].shown) \(ecu["name"].string ?? "")"] + table.lines
    }
}
