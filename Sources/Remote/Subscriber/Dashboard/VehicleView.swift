// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// What a dashboard knows of one vehicle, out of its topics.
struct VehicleView: Sendable {
    /// What is computed of other values, and is no parameter.
    static let boost = "boost"
    static let adapterVoltage = "adapter_voltage"
    /// How many parameters it has at most.
    static let limit = 512
    /// The largest number of codes of a vehicle that are shown.
    static let codeLimit = 256

    private(set) var picture: VehiclePicture
    private(set) var values: [String: LiveValue] = [:]
    private var ignition: String?

    init(name: String) {
        self.picture = VehiclePicture(name: name)
    }

    /// One of its topics has this payload.
    mutating func receive(_ path: String, _ payload: [UInt8]) {
        if self.picture.receive(path, payload) {
            if path == "status" { self.note(Self.adapterVoltage, self.picture.status["adapter"]["voltage"], "V") }
            return
        }
        let json = JSON(payload: payload)
        let levels = path.split(separator: "/")
        if path == "monitors" { self.ignition = json["ignition"].string }
        guard levels.first == "parameters", levels.count == 2 || levels.count == 3 else { return }
        let name = Printable.text(levels.dropFirst().joined(separator: " "))
        guard !payload.isEmpty else {
            self.values[name] = nil
            return
        }
        guard self.values[name] != nil || self.values.count < Self.limit else { return }
        self.values[name] = LiveValue(json, before: self.values[name])
        if name == "intake_manifold_pressure" { self.noteBoost() }
    }

    /// What the engine breathes above what the weather gives, as far as both come in one unit.
    private mutating func noteBoost() {
        guard let pressure = self.values["intake_manifold_pressure"], let absolute = pressure.number else { return }
        let weather = self.values["barometric_pressure"].flatMap { $0.unit == pressure.unit ? $0.number : nil }
        let usual = Gauge.Quantity.pressure.limit(101.325, in: pressure.unit)
        let boost = absolute - (weather ?? usual)
        guard boost.isFinite else { return }
        self.note(Self.boost, .number(boost), pressure.unit)
    }

    private mutating func note(_ name: String, _ value: JSON, _ unit: String) {
        guard value.double != nil else { return }
        self.values[name] = LiveValue(["value": value, "unit": .string(unit)], before: self.values[name])
    }

    /// Whether the engine is known to be a diesel.
    var isDiesel: Bool {
        if let fuel = self.values["fuel_type"]?.text { return fuel.contains("diesel") }
        return self.ignition == "compression"
    }

    /// The parameters that no gauge shows, by name.
    var others: [String] {
        let shown = Set(Gauge.all(isDiesel: false).flatMap(\.names))
        return self.values.keys.filter { !shown.contains($0) }.sorted()
    }

    /// Each code once, and what it means.
    var codes: [(code: String, meaning: String)] {
        var codes: [(code: String, meaning: String)] = []
        for entry in self.picture.codes["codes"].elements.prefix(Self.codeLimit) {
            let code = Printable.text((entry["code"].string ?? "?").prefix(bytes: 16))
            guard !codes.contains(where: { $0.code == code }) else { continue }
            codes.append((code, Printable.text((entry["description"].string ?? "").prefix(bytes: 120))))
        }
        return codes
    }
}
