// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The data of a vehicle for the dashboard, from its topics.
struct VehicleView: Sendable {
    /// The names of values that are computed, or come from other topics than those of parameters.
    static let boost = "boost"
    static let adapterVoltage = "adapter_voltage"
    /// The largest number of parameters.
    static let limit = 512

    /// The arrival of a message.
    struct Arrival: Hashable, Sendable {
        let time: MonotonicTime
        /// Whether the broker had kept the message.
        let isRetained: Bool
    }

    private(set) var picture: VehiclePicture
    private(set) var values: [String: LiveValue] = [:]
    private(set) var drive = DriveView()
    private(set) var finding: FindingSummary?
    /// The viewer's own connection.
    private(set) var connection = ViewerConnection.connecting
    /// The topics of ``picture`` that the present connection has brought.
    private(set) var told: Set<String> = []
    private var ignition: String?

    init(name: String) {
        self.picture = VehiclePicture(name: name)
    }

    /// The viewer is connected to the broker.
    mutating func connected() { self.connection = .connected }

    /// The viewer has lost the broker: what it was told until now may not be true any more.
    mutating func connectionLost(_ reason: String, at now: MonotonicTime) {
        self.told = []
        // A further attempt that fails does not make the loss younger.
        let time = if case .lost(let since, _) = self.connection { since } else { now }
        self.connection = .lost(since: time, reason: reason)
    }

    /// Takes the payload of a topic.
    mutating func receive(_ path: String, _ payload: [UInt8], _ arrival: Arrival) {
        if self.picture.receive(path, payload) {
            self.told.insert(path)
            if path == "status" { self.updateAdapterVoltage(arrival) }
            return
        }
        if self.drive.receive(path, payload) { return }
        let json = JSON(payload: payload)
        let levels = path.split(separator: "/")
        if path == "monitors" { self.ignition = json["ignition"].string }
        if path == "finding" { self.finding = FindingSummary(json) }
        guard levels.first == "parameters", levels.count == 2 || levels.count == 3 else { return }
        let name = Printable.text(levels.dropFirst().joined(separator: " "))
        guard !payload.isEmpty else {
            self.values[name] = nil
            return
        }
        self.set(name, json, arrival)
        if name == "intake_manifold_pressure" { self.updateBoost(json, arrival) }
    }

    /// Sets a value.
    ///
    /// - Parameter model: the name of the catalogue's value with the same step; nil for its own.
    private mutating func set(_ name: String, _ json: JSON, _ arrival: Arrival, like model: String? = nil) {
        let previous = self.values[name]
        guard previous != nil || self.values.count < Self.limit else { return }
        let isContinued =
            if case .arrived(let time) = previous?.measured {
                !arrival.isRetained && arrival.time - time <= self.limit(of: name)
            } else {
                false
            }
        self.values[name] = LiveValue(
            json,
            words: previous?.words ?? ValueWords(model ?? Self.parameter(name)),
            isRetained: arrival.isRetained,
            at: arrival.time,
            previous: previous,
            isContinued: isContinued
        )
    }

    private mutating func updateAdapterVoltage(_ arrival: Arrival) {
        let (status, adapter) = (self.picture.status, self.picture.status["adapter"])
        guard adapter["voltage"].double != nil else { return }
        let json: JSON = [
            "value": adapter["voltage"], "unit": "V", "time": status["time"], "clock": status["clock"],
        ]
        self.set(Self.adapterVoltage, json, arrival, like: "supply_voltage")
    }

    /// Computes the boost: the manifold pressure above the barometric one.
    ///
    /// Without a barometric pressure in the same unit, the standard one of 101.325 kPa is used.
    private mutating func updateBoost(_ payload: JSON, _ arrival: Arrival) {
        guard let pressure = self.values["intake_manifold_pressure"], let absolute = pressure.number else { return }
        let barometric = self.values["barometric_pressure"].flatMap { $0.unit == pressure.unit ? $0.number : nil }
        let standard = Gauge.Quantity.pressure.limit(101.325, in: pressure.unit)
        let boost = absolute - (barometric ?? standard)
        guard boost.isFinite else { return }
        let json: JSON = [
            "value": .number(boost), "unit": .string(pressure.unit), "time": payload["time"],
            "quality": payload["quality"],
        ]
        self.set(Self.boost, json, arrival, like: "intake_manifold_pressure")
    }

    /// Returns the parameter of a value: the name without the ECU behind it.
    private static func parameter(_ name: String) -> String { String(name.prefix { $0 != " " }) }

    // MARK: - Ages

    /// Returns the age up to which a value is live.
    private func limit(of name: String) -> Duration {
        Freshness.limit(of: Self.parameter(name), status: self.picture.status, vehicle: self.picture.vehicle)
    }

    /// Returns the kind of a value.
    ///
    /// - Parameter isMeasured: whether all lamps are lit.
    func freshness(of name: String, isMeasured: Bool, at now: ViewerTime) -> Freshness {
        let age = self.values[name]?.measured.age(at: now)
        return Freshness(
            age: age,
            limit: self.limit(of: name),
            isMeasured: isMeasured && !Freshness.isOfEvent(name)
        )
    }

    // MARK: - Values

    /// Whether the engine is known to be a diesel engine.
    var isDiesel: Bool {
        if let fuel = self.values["fuel_type"]?.text { return fuel.contains("diesel") }
        return self.ignition == "compression"
    }

    /// The names of the parameters without a gauge and outside of the battery's group, sorted by their titles.
    var others: [String] {
        let gauges = Gauge.all(isDiesel: false)
        let shown = self.batteryNames.union(gauges.flatMap { $0.names + self.names(of: $0).prefix(1) })
        return self.values.keys.filter { !shown.contains($0) }.sorted {
            (self.title(of: $0), $0) < (self.title(of: $1), $1)
        }
    }

    /// Returns the name of a value for people, with its ECU if that is not the engine's.
    func title(of name: String) -> String {
        guard let value = self.values[name] else { return name }
        let ecu = name.split(separator: " ", maxSplits: 1).dropFirst().first
        return Printable.text(value.words.title) + (ecu.map { " (\($0))" } ?? "")
    }
}
