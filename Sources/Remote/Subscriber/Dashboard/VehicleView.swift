// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The data of a vehicle for the dashboard, from its topics.
struct VehicleView: Sendable {
    /// The names of values that are computed, or come from other topics than those of parameters.
    static let boost = "boost"
    static let adapterVoltage = "adapter_voltage"
    /// The largest number of parameters.
    static let limit = 512
    /// The largest number of displayed codes.
    static let codeLimit = 256

    private(set) var picture: VehiclePicture
    private(set) var values: [String: LiveValue] = [:]
    private(set) var drive = DriveView()
    private var ignition: String?

    init(name: String) {
        self.picture = VehiclePicture(name: name)
    }

    /// Takes the payload of a topic.
    mutating func receive(_ path: String, _ payload: [UInt8]) {
        if self.picture.receive(path, payload) {
            if path == "status" {
                self.setComputed(Self.adapterVoltage, self.picture.status["adapter"]["voltage"], "V")
            }
            return
        }
        if self.drive.receive(path, payload) { return }
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
        self.values[name] = LiveValue(json, previous: self.values[name])
        if name == "intake_manifold_pressure" { self.updateBoost() }
    }

    /// Computes the boost: the manifold pressure above the barometric one.
    ///
    /// Without a barometric pressure in the same unit, the standard one of 101.325 kPa is used.
    private mutating func updateBoost() {
        guard let pressure = self.values["intake_manifold_pressure"], let absolute = pressure.number else { return }
        let barometric = self.values["barometric_pressure"].flatMap { $0.unit == pressure.unit ? $0.number : nil }
        let standard = Gauge.Quantity.pressure.limit(101.325, in: pressure.unit)
        let boost = absolute - (barometric ?? standard)
        guard boost.isFinite else { return }
        self.setComputed(Self.boost, .number(boost), pressure.unit)
    }

    private mutating func setComputed(_ name: String, _ value: JSON, _ unit: String) {
        guard value.double != nil else { return }
        self.values[name] = LiveValue(["value": value, "unit": .string(unit)], previous: self.values[name])
    }

    /// Whether the engine is known to be a diesel engine.
    var isDiesel: Bool {
        if let fuel = self.values["fuel_type"]?.text { return fuel.contains("diesel") }
        return self.ignition == "compression"
    }

    /// The names of the parameters without a gauge and outside of the battery's group, sorted.
    var others: [String] {
        let gauges = Gauge.all(isDiesel: false)
        let shown = self.batteryNames.union(gauges.flatMap { $0.names + self.names(of: $0).prefix(1) })
        return self.values.keys.filter { !shown.contains($0) }.sorted()
    }

    /// The codes with their meanings, each code once.
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
