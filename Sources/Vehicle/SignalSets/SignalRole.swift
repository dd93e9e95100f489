// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The role of a signal, from the metric that the set suggests for it.
struct SignalRole: Hashable, Sendable {
    let role: ParameterRole
    /// The numbers that stand for true, if the role is a truth value; nil if every number but 0 does.
    let trueValues: Set<Int>?

    /// The roles of the metrics (`suggestedMetric`) that have one.
    static let roles: [String: ParameterRole] = [
        "speed": .vehicleSpeed, "odometer": .odometer, "fuelTankLevel": .fuelLevel, "fuelRange": .range,
        "electricRange": .range, "stateOfCharge": .stateOfCharge, "stateOfHealth": .stateOfHealth,
        "isCharging": .charging, "pluggedIn": .pluggedIn, "tractionBatteryVoltage": .tractionBatteryVoltage,
        "tractionBatteryCurrent": .tractionBatteryCurrent,
    ]

    /// Returns nil if the format has a unit or labels that the role does not allow.
    init?(_ role: ParameterRole, _ format: SignalFormat) {
        guard role.allows(format.unit), role.isTruth || format.labels.isEmpty else { return nil }
        self.role = role
        guard role.isTruth, !format.labels.isEmpty else {
            self.trueValues = nil
            return
        }
        let trueValues = Self.trueValues(of: format.labels, role)
        guard !trueValues.isEmpty, trueValues.count < format.labels.count else { return nil }
        let isUsual = format.labels.count <= 2 && trueValues == Set(format.labels.keys).subtracting([0])
        self.trueValues = isUsual ? nil : trueValues
    }

    /// Returns the numbers whose labels say that the role is true.
    ///
    /// Of two labels the one that does not deny is true: `off` and `on`. More than two are states, of which those that
    /// name the role are true: `Charging`, but neither `Ready`, nor `Not charging`, nor `Charging complete`.
    private static func trueValues(of labels: [Int: String], _ role: ParameterRole) -> Set<Int> {
        let affirmed = labels.mapValues { $0.lowercased() }.filter { !Self.isDenial($0.value) }
        guard labels.count > 2 else { return Set(affirmed.keys) }
        let isOfRole = { (label: String) in Self.words(of: role).contains(where: label.contains) }
        let isOver = { (label: String) in Self.ends.contains(where: label.contains) }
        return Set(affirmed.filter { isOfRole($0.value) && !isOver($0.value) }.keys)
    }

    /// The parts of labels that name a state before, after or instead of the one of the role.
    private static let ends = [
        "complete", "finish", "end", "stop", "interrupt", "error", "fault", "fail", "wait", "ready", "pause", "schedul",
    ]

    private static func isDenial(_ label: String) -> Bool {
        ["no", "off", "false", "0"].contains(label)
            || ["not ", "not_", "no ", "un", "dis"].contains(where: label.hasPrefix)
    }

    /// The parts of labels that name a state in which the role is true.
    private static func words(of role: ParameterRole) -> [String] {
        switch role {
        // While an external charger is at work, the battery is charged with direct current.
        case .charging: ["charging", "external charger"]
        case .pluggedIn: ["plug", "connect"]
        default: [role.rawValue]
        }
    }
}
