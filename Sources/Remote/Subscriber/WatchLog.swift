// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// Formats the messages of a vehicle as lines of a log.
package struct WatchLog: Sendable {
    /// The supported topics.
    package static let paths = [
        "availability", "status", "codes", "monitors", "trip", "limits", "position", "finding", "events",
        "parameters/+", "parameters/+/+",
    ]
    /// The largest number of topics whose last text is stored to drop repetitions.
    private static let topicLimit = 4096
    /// The largest number of bytes of a printed text.
    private static let textLimit = 4000

    /// A line of the log.
    package struct Line: Hashable, Sendable {
        /// The agent's time of the message, such as `10:00:00.120`; empty without one.
        package var time: String
        /// The subject: a parameter, `codes`, `event`.
        package var subject: String
        package var text: String
    }

    private let topics: FleetTopics
    private let source: LiveSource
    private var sequence = RecordSequence()
    private var lastTexts: [String: [String]] = [:]
    private var isLost = false
    /// Whether the agent measures nothing according to its last status.
    private var isResting = false

    package init(_ topics: FleetTopics, from source: LiveSource = .broker("")) {
        self.topics = topics
        self.source = source
    }

    /// The other end of the viewer's connection, as the subject of a line.
    private var peer: String { if case .agent = self.source { "agent" } else { "broker" } }

    /// Returns the line for the loss of the viewer's connection.
    package mutating func connectionLost(_ reason: String) -> Line? {
        defer { self.isLost = true }
        // What the next connection tells of these is told anew.
        for path in ["availability", "status", BrokerReport.path] { self.lastTexts[path] = nil }
        return self.isLost
            ? nil : Line(time: "", subject: self.peer, text: "\(reason); reconnecting. All values are last known")
    }

    /// Returns the line for the connection after a loss; nil for the first one.
    package mutating func connected() -> Line? {
        defer { self.isLost = false }
        return self.isLost ? Line(time: "", subject: self.peer, text: "connected again") : nil
    }

    /// Returns the line for another vehicle of the same agent.
    package static func line(turningTo vehicle: String) -> Line {
        Line(time: "", subject: "vehicle", text: Printable.text(vehicle))
    }

    /// Returns the line for a message; nil if it repeats the last one of its topic.
    ///
    /// What comes again within its time, and was kept by the broker, tells its age: it may be that of another day.
    ///
    /// - Parameter date: the present time.
    package mutating func line(for message: Message, at date: Timestamp) -> Line? {
        guard var line = self.line(for: message) else { return nil }
        let path = self.topics.split(message.topic)?.path ?? ""
        let isValue = path.hasPrefix("parameters/")
        // Values that the agent has held back come after the status that says that it measures none.
        if message.retain ? isValue || path == "status" || path == "trip" : isValue && self.isResting {
            line.text += " (last known, \(Self.age(JSON(payload: message.payload), at: date)))"
        }
        return line
    }

    private mutating func line(for message: Message) -> Line? {
        guard let (_, path) = self.topics.split(message.topic) else { return nil }
        if path == "availability" {
            return self.changedLine(path, "", path, String(decoding: message.payload.prefix(64), as: UTF8.self))
        }
        guard !message.payload.isEmpty else { return nil }
        let json = JSON(payload: message.payload)
        let time = json["time"].string.map { String($0.prefix(bytes: 40).dropFirst(11).prefix { $0 != "Z" }) } ?? ""
        switch path {
        case "events":
            if let number = RecordNumber(json), self.sequence.receive(number) == .duplicate { return nil }
            return Line(time: time, subject: "event", text: Self.event(json).prefix(bytes: Self.textLimit))
        case "status":
            self.isResting = json["link"].string.map { $0 != AgentStatus.Link.connected.rawValue } ?? false
            return self.changedLine(path, time, path, Self.status(json))
        case BrokerReport.path: return self.changedLine(path, time, path, Self.broker(json))
        case "codes": return self.changedLine(path, time, path, Self.codes(json))
        case "monitors": return self.changedLine(path, time, path, Self.monitors(json))
        case "trip": return TripSummary(json).flatMap { self.changedLine(path, time, path, Self.trip($0)) }
        case "limits": return self.changedLine(path, time, path, Self.limits(LimitState.list(json)))
        case "position":
            guard let position = PositionSummary(json) else { return nil }
            // A drive has a new place each 10 s, so a line tells where it began to be known, hidden or lost.
            let state = [position.quality, position.zone ?? ""]
            return self.changedLine(path, time, path, Self.position(position), state: state)
        case "finding": return self.changedLine(path, time, path, Self.finding(json))
        default:
            let levels = path.split(separator: "/", maxSplits: 1)
            guard levels.count == 2, levels[0] == "parameters" else { return nil }
            let quality = json["quality"].string.flatMap { $0 == "good" ? nil : "(\($0))" }
            let words = [json["label"].string ?? json["value"].shown, json["unit"].string, quality]
            let text = words.compactMap(\.self).joined(separator: " ")
            return self.changedLine(path, time, String(levels[1]), text)
        }
    }

    /// Returns a line, unless it repeats the last one of its topic.
    ///
    /// - Parameter state: the texts that repeat; nil for those of the line.
    private mutating func changedLine(
        _ path: String,
        _ time: String,
        _ subject: String,
        _ text: String,
        state: [String]? = nil
    ) -> Line? {
        let text = text.prefix(bytes: Self.textLimit)
        // A value with a new time is a new value, even if it is equal. A state with a new time is not.
        let states = ["status", "availability", BrokerReport.path, "codes", "monitors", "trip", "limits"]
        let current = state ?? (states.contains(path) ? [text] : [time, text])
        guard self.lastTexts[path] != current else { return nil }
        if self.lastTexts[path] != nil || self.lastTexts.count < Self.topicLimit { self.lastTexts[path] = current }
        return Line(time: time, subject: subject, text: text)
    }

    /// Returns the age of a value that the broker had kept.
    private static func age(_ json: JSON, at date: Timestamp) -> String {
        let measured = MeasurementTime(json, isRetained: true, at: .zero)
        return measured.age(at: ViewerTime(.zero, date))?.ageText ?? "age unknown"
    }

    private static func finding(_ json: JSON) -> String {
        guard let finding = FindingSummary(json) else { return json.text }
        let author = finding.author.map { "by \($0)" } ?? "not signed"
        let words = [
            finding.severity, author, finding.codes.joined(separator: ", "), finding.paragraphs.joined(separator: " "),
        ]
        return words.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    private static func event(_ json: JSON) -> String {
        let words = [
            json["event"].string, json["code"].string, json["ecu"].string.map { "(\($0))" },
            json["description"].string, json["vin"].string, json["reason"].string,
        ]
        return words.compactMap(\.self).joined(separator: " ")
    }

    private static func status(_ json: JSON) -> String {
        var words = [json["link"].string ?? "unknown"]
        if let bus = json["protocol"].string { words.append(bus) }
        if json["vehicle_confirmed"].bool == false { words.append("the vehicle is not confirmed yet") }
        if let problem = json["problem"].string { words.append(problem) }
        return words.joined(separator: ", ")
    }

    private static func broker(_ json: JSON) -> String {
        guard let server = json["server"].string else { return "none is configured, so all data stays here" }
        if json["connected"].bool == true { return "the agent is connected to \(server)" }
        return "the agent is not connected to \(server)" + (json["problem"].string.map { ": \($0)" } ?? "")
    }

    private static func codes(_ json: JSON) -> String {
        let lamp = json["mil"].bool.map { $0 ? "lamp on" : "lamp off" } ?? "lamp unknown"
        let codes = json["codes"].elements.map { code in
            let states = code["states"].elements.compactMap(\.string).joined(separator: ", ")
            return "\(code["code"].string ?? "?") (\(code["ecu"].string ?? "?"): \(states))"
        }
        guard json["known"].bool == true else { return "not known; \(lamp)" }
        return (codes.isEmpty ? "none" : codes.joined(separator: ", ")) + "; \(lamp)"
    }

    private static func trip(_ trip: TripSummary) -> String {
        let (fuel, energy) = (trip.use("fuel"), trip.use("energy"))
        let figures = [
            (trip.distance, "km"), (fuel.amount, "L"), (fuel.consumption, "L/100 km"), (energy.amount, "kWh"),
            (energy.consumption, "kWh/100 km"),
        ]
        let words = figures.compactMap { value, unit in value.map { "\(JSON.number($0).shown) \(unit)" } }
        // The last trip may be one of another day.
        let end = trip.time.map { "finished \($0)\(Self.doubt(trip.isCertain))" } ?? "finished"
        return ([trip.isOngoing ? "under way" : end, "\(trip.minutes) min"] + words).joined(separator: ", ")
    }

    private static func limits(_ limits: [LimitState]) -> String {
        let exceeded = limits.filter { $0.isExceeded == true }.map { limit in
            "\(limit.name)\(limit.since.map { " since \($0)" } ?? "") (\(limit.condition))"
        }
        let unknown = limits.filter { $0.isExceeded == nil }.map(\.name)
        let words = [
            exceeded.isEmpty ? nil : "exceeded: \(exceeded.joined(separator: ", "))",
            exceeded.isEmpty && unknown.count < limits.count ? "none exceeded" : nil,
            unknown.isEmpty ? nil : "unknown: \(unknown.joined(separator: ", "))",
        ]
        return words.compactMap(\.self).joined(separator: "; ")
    }

    private static func position(_ position: PositionSummary) -> String {
        let place = position.zone.map { "zone \($0)" } ?? position.coordinates
        let time = position.time.map { "\($0)\(Self.doubt(position.isCertain))" }
        return [position.quality, place, position.accuracy, time].compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the remark behind a time; empty for a synchronized clock.
    private static func doubt(_ isCertain: Bool) -> String { isCertain ? "" : " by an unsynchronized clock" }

    private static func monitors(_ json: JSON) -> String {
        let open = json["monitors"].members.filter { $0.value == "incomplete" }.map(\.key)
        return open.isEmpty ? "all complete" : "incomplete: \(open.joined(separator: ", "))"
    }
}

extension JSON {
    /// The value as text for the user, with at most three decimal places.
    package var shown: String {
        switch self {
        case .string(let text): text
        case .bool(let value): value ? "yes" : "no"
        case .number(let value) where value.magnitude < 1e12: JSON.text(of: (value * 1000).rounded() / 1000)
        case .array(let elements): elements.map(\.shown).joined(separator: " ")
        default: self.text
        }
    }
}
