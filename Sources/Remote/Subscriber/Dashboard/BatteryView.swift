// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The roles of values that a dashboard shows as those of the traction battery.
enum BatteryView {
    /// The states, with their words while they are true and while they are false.
    static let states = [
        (role: "charging", isTrue: "charging", isFalse: "not charging"),
        (role: "plugged_in", isTrue: "plugged in", isFalse: "not plugged in"),
        (role: "ready", isTrue: "ready", isFalse: "not ready"),
    ]
    /// The quantities below the state of charge, with their labels.
    static let quantities = [
        (role: "range", label: "Range"), (role: "charger_power", label: "Charger"),
        (role: "traction_battery_power", label: "Power"), (role: "traction_battery_voltage", label: "Voltage"),
        (role: "traction_battery_current", label: "Current"), (role: "traction_battery_temperature", label: "Temp."),
        (role: "state_of_health", label: "Health"), (role: "charged_energy", label: "Charged"),
    ]
    /// The state of charge.
    static let charge = Gauge(
        "Charge",
        ["state_of_charge"],
        range: 0...100,
        attention: Gauge.Bounds(below: 20),
        danger: Gauge.Bounds(below: 8)
    )
    /// The roles that a vehicle without a traction battery may have too.
    private static let commonRoles: Set = ["range", "ready"]

    /// The roles of which any belongs to a traction battery only.
    static let roles: Set<String> = Set(
        Self.charge.names + Self.states.map(\.role) + Self.quantities.map(\.role)
    ).subtracting(Self.commonRoles)
}

extension VehicleView {
    /// The largest number of values of a role.
    private static let roleLimit = 16

    /// Returns the names of the values with a role, the one that counts first at the front.
    func names(of role: String) -> [String] {
        self.picture.vehicle["roles"][role].elements.prefix(Self.roleLimit)
            .compactMap { $0.string.map { Printable.text($0.prefix(bytes: 100)) } }
            .filter { self.values[$0] != nil }
    }

    /// Returns the names of the values that a gauge can show, the preferred one first.
    func names(of gauge: Gauge) -> [String] {
        // The gauges of a role are named for it.
        gauge.names.flatMap { self.names(of: $0) + [$0] }
    }

    /// Returns whether a role that is true or false is true; nil if it has no value.
    func truth(of role: String) -> Bool? {
        let truths = self.names(of: role).compactMap(self.truth(ofValue:))
        return truths.isEmpty ? nil : truths.contains(true)
    }

    private func truth(ofValue name: String) -> Bool? {
        guard let value = self.values[name] else { return nil }
        guard let code = value.code else { return value.flag }
        let trueValues = self.picture.vehicle["true_values"][name]
        return trueValues == .null ? code != 0 : trueValues.elements.contains { $0.double == code }
    }

    /// Whether the vehicle reports values of a traction battery.
    var hasBattery: Bool { BatteryView.roles.contains { !self.names(of: $0).isEmpty } }

    /// The names of the values that the group of the traction battery shows.
    var batteryNames: Set<String> {
        guard self.hasBattery else { return [] }
        let quantities = BatteryView.charge.names + BatteryView.quantities.map(\.role)
        let flags = BatteryView.states.flatMap { self.names(of: $0.role) }.filter { self.values[$0]?.flag != nil }
        // The label of a code says more than true or false, so codes stay in the list of the others.
        return Set(quantities.compactMap { self.names(of: $0).first } + flags)
    }
}
