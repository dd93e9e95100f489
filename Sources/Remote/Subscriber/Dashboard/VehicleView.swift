// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
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

    /// The source of the messages.
    let source: LiveSource
    private(set) var picture: VehiclePicture
    private(set) var values: [String: LiveValue] = [:]
    private(set) var drive = DriveView()
    private(set) var finding: FindingSummary?
    private(set) var readiness: ReadinessView?
    private(set) var events = EventList()
    /// The viewer's own connection.
    private(set) var connection = ViewerConnection.connecting
    /// The topics of ``picture`` that the present connection has brought.
    private(set) var told: Set<String> = []
    private var ignition: String?
    /// Whether all lamps are lit.
    private var isLit = false
    /// The arrival of the newest value of an ECU while all lamps were lit; nil before the first.
    private var lastMeasured: MonotonicTime?
    /// The time of the first number that a course has; nil before it.
    private(set) var courseStart: MonotonicTime?
    /// The time of the newest 12 V supply at the adapter; nil before the first with a time.
    private var supplyTime: Timestamp?
    /// The titles and the groups of the values, by name.
    private var titles: [String: ValueTitle] = [:]

    /// The name of a value for people, with the group that decides its place in lists.
    private struct ValueTitle: Hashable, Sendable {
        let title: String
        let group: ParameterCategory
    }

    init(name: String, from source: LiveSource = .broker("")) {
        self.source = source
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
        self.isLit = false
        self.interruptCourses(at: now)
    }

    /// Ends all courses until the next numbers: what follows is not measured.
    private mutating func interruptCourses(at time: MonotonicTime) {
        for name in self.values.keys { self.values[name]?.interrupt(at: time) }
    }

    /// Takes the payload of a topic.
    mutating func receive(_ path: String, _ payload: [UInt8], _ arrival: Arrival) {
        if self.picture.receive(path, payload) {
            self.told.insert(path)
            if path == "status" { self.updateSupply(arrival) }
            if path == "vehicle" { for name in self.titles.keys { self.setTitle(of: name) } }
            let lamps = Lamps(from: self.source, self.connection, self.picture, told: self.told, at: arrival.time)
            self.isLit = lamps.areLit
            if !self.isLit { self.interruptCourses(at: arrival.time) }
            return
        }
        if self.drive.receive(path, payload) { return }
        let json = JSON(payload: payload)
        let levels = path.split(separator: "/")
        switch path {
        case "monitors": (self.ignition, self.readiness) = (json["ignition"].string, ReadinessView(json))
        case "finding": self.finding = FindingSummary(json)
        case "events": self.events.receive(json)
        default: break
        }
        guard levels.first == "parameters", levels.count == 2 || levels.count == 3 else { return }
        let name = Printable.text(levels.dropFirst().joined(separator: " "))
        guard !payload.isEmpty else {
            self.values[name] = nil
            return
        }
        if self.isLit, !arrival.isRetained, Freshness.isOfECU(Self.parameter(name)) { self.lastMeasured = arrival.time }
        if name == SupplyValue.voltage.rawValue {
            self.setSupply(json, arrival)
        } else {
            self.set(name, json, arrival)
        }
        if name == "intake_manifold_pressure" { self.updateBoost(json, arrival) }
    }

    /// Sets a value.
    ///
    /// - Parameter model: the name of the catalogue's value with the same decimals; nil for its own.
    private mutating func set(_ name: String, _ json: JSON, _ arrival: Arrival, like model: String? = nil) {
        let previous = self.values[name]
        guard previous != nil || self.values.count < Self.limit else { return }
        let parameter = Self.parameter(name)
        let value = LiveValue(
            json,
            words: Words.parameter(model ?? parameter),
            // The agent may have held back what it measured before a lamp went out.
            isRetained: arrival.isRetained || !self.isLit,
            at: arrival.time,
            previous: previous
        )
        self.values[name] = value
        if self.courseStart == nil { self.courseStart = value.course.start }
        if self.titles[name] == nil { self.setTitle(of: name) }
    }

    /// Sets the title of a value: what the user or a signal set calls a custom parameter, otherwise that of the contract.
    private mutating func setTitle(of name: String) {
        let parameter = Self.parameter(name)
        let own = self.picture.vehicle["titles"][parameter].string
        let title = Printable.text(own?.prefix(bytes: 100) ?? Words.title(of: parameter))
        let group = Words.parameter(parameter)?.group ?? ParameterCategory(of: parameter)
        self.titles[name] = ValueTitle(title: title, group: group)
    }

    /// Takes the 12 V supply of the status, if it is newer than the value: a parked vehicle's value is published rarely.
    private mutating func updateSupply(_ arrival: Arrival) {
        let (status, battery) = (self.picture.status, self.picture.status["battery"])
        guard battery["voltage"].double != nil, let time = battery["time"].time else { return }
        guard self.supplyTime.map({ time > $0 }) ?? true else { return }
        let json: JSON = [
            "value": battery["voltage"], "unit": "V", "time": battery["time"], "clock": status["clock"],
        ]
        // The measurement may be older than its message, whether the broker had kept that or not.
        self.setSupply(json, Arrival(time: arrival.time, isRetained: true))
    }

    /// Sets the 12 V supply at the adapter, unless a newer one is known.
    private mutating func setSupply(_ json: JSON, _ arrival: Arrival) {
        if let time = json["time"].time {
            // What is measured now is the newest, also if the agent's clock was set back.
            let isMeasuredNow = self.isLit && !arrival.isRetained
            guard isMeasuredNow || self.supplyTime.map({ time >= $0 }) ?? true else { return }
            self.supplyTime = time
        }
        let name = SupplyValue.voltage.rawValue
        self.set(name, json, arrival)
        self.set(Self.adapterVoltage, json, arrival, like: name)
    }

    /// Computes the boost: the manifold pressure above the barometric one.
    ///
    /// Without a barometric pressure in the same unit, the standard one of 101.325 kPa is used.
    private mutating func updateBoost(_ payload: JSON, _ arrival: Arrival) {
        guard let pressure = self.values["intake_manifold_pressure"], let absolute = pressure.number else { return }
        let barometric = self.values["barometric_pressure"].flatMap { $0.unit == pressure.unit ? $0.number : nil }
        let isImperial = UnitSystem.isImperial(pressure.unit)
        let isAir = pressure.unit == Unit.inchOfMercury.symbol
        let standard = (isImperial ? UnitSystem.imperial : .metric).convert(101.325, "kPa", isAir: isAir).number
        let boost = absolute - (barometric ?? standard)
        guard boost.isFinite else { return }
        let json: JSON = [
            "value": .number(boost), "unit": .string(pressure.unit), "time": payload["time"],
            "quality": payload["quality"],
        ]
        self.set(Self.boost, json, arrival, like: "manifold_boost")
    }

    /// Returns the parameter of a value: the name without the ECU behind it.
    private static func parameter(_ name: String) -> String { String(name.prefix { $0 != " " }) }

    // MARK: - Ages

    /// Returns the age up to which a value is live.
    func limit(of name: String) -> Duration {
        Freshness.limit(of: Self.parameter(name), status: self.picture.status, vehicle: self.picture.vehicle)
    }

    /// Returns the kind of a value.
    ///
    /// - Parameter isMeasured: whether all lamps are lit.
    func freshness(of name: String, isMeasured: Bool, at now: ViewerTime) -> Freshness {
        let isOfECU = name != Self.adapterVoltage && Freshness.isOfECU(Self.parameter(name))
        return Freshness(
            age: self.values[name]?.measured.age(at: now),
            limit: self.limit(of: name),
            isMeasured: isMeasured && !Freshness.isOfEvent(name),
            silence: isOfECU ? self.lastMeasured.map { now.monotonic - $0 } : nil
        )
    }

    // MARK: - Values

    /// Whether the engine is known to be a diesel engine.
    var isDiesel: Bool {
        if let fuel = self.values["fuel_type"]?.shown(in: nil).text { return fuel.contains("diesel") }
        return self.ignition == "compression"
    }

    /// Whether the agent publishes imperial units.
    var isImperial: Bool { self.values.values.contains { UnitSystem.isImperial($0.unit) } }

    /// The names of the parameters without a gauge and outside of the battery's group, sorted by groups and titles.
    var others: [String] {
        let gauges = Gauge.all(isDiesel: false)
        let shown = self.batteryNames.union(gauges.flatMap { $0.names + self.names(of: $0).prefix(1) })
        let entries = self.values.keys.filter { !shown.contains($0) }.map {
            (self.group(of: $0), self.title(of: $0), $0)
        }
        return entries.sorted { $0 < $1 }.map { $0.2 }
    }

    /// Returns the group of a value.
    func group(of name: String) -> ParameterCategory { self.titles[name]?.group ?? .other }

    /// Returns the name of a value for people, with its ECU if that is not the engine's.
    func title(of name: String) -> String {
        guard let title = self.titles[name]?.title else { return name }
        let ecu = name.split(separator: " ", maxSplits: 1).dropFirst().first
        return title + (ecu.map { " (\($0))" } ?? "")
    }
}
