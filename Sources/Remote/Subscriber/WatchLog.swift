// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import Base

/// Makes lines of what a vehicle publishes.
package struct WatchLog: Sendable {
    /// The topics that it understands.
    package static let paths = [
        "availability", "status", "codes", "monitors", "finding", "events", "parameters/+", "parameters/+/+",
    ]
    /// How many topics it remembers, so that nothing is told twice.
    private static let memory = 4096
    /// The most bytes of a topic's text that are printed.
    private static let textLimit = 4000

    /// One line.
    package struct Line: Hashable, Sendable {
        /// The time that the agent gave it, `10:00:00.120`; empty where it gave none.
        package var time: String
        /// What it is about: a parameter, `codes`, `event`.
        package var subject: String
        package var text: String
    }

    private let topics: FleetTopics
    private var sequence = RecordSequence()
    private var last: [String: [String]] = [:]

    package init(_ topics: FleetTopics) {
        self.topics = topics
    }

    /// A message came; nil where it tells nothing new.
    package mutating func line(for message: Message) -> Line? {
        guard let (_, path) = self.topics.split(message.topic) else { return nil }
        if path == "availability" {
            return self.news(path, "", path, String(decoding: message.payload.prefix(64), as: UTF8.self))
        }
        guard !message.payload.isEmpty else { return nil }
        let json = JSON(payload: message.payload)
        let time = json["time"].string.map { String($0.prefix(bytes: 40).dropFirst(11).prefix { $0 != "Z" }) } ?? ""
        switch path {
        case "events":
            if let number = RecordNumber(json), self.sequence.receive(number) == .duplicate { return nil }
            return Line(time: time, subject: "event", text: Self.event(json).prefix(bytes: Self.textLimit))
        case "status": return self.news(path, time, path, Self.status(json))
        case "codes": return self.news(path, time, path, Self.codes(json))
        case "monitors": return self.news(path, time, path, Self.monitors(json))
        case "finding": return self.news(path, time, path, json["text"].string ?? json.text)
        default:
            let levels = path.split(separator: "/", maxSplits: 1)
            guard levels.count == 2, levels[0] == "parameters" else { return nil }
            let quality = json["quality"].string.flatMap { $0 == "good" ? nil : "(\($0))" }
            let words = [json["label"].string ?? json["value"].shown, json["unit"].string, quality]
            return self.news(path, time, String(levels[1]), words.compactMap(\.self).joined(separator: " "))
        }
    }

    /// A line, unless the topic said just that the last time.
    private mutating func news(_ path: String, _ time: String, _ subject: String, _ text: String) -> Line? {
        let text = text.prefix(bytes: Self.textLimit)
        // A value that is told again with a new time is a new value; a state is not.
        let isState = ["status", "availability", "codes", "monitors"].contains(path)
        let said = isState ? [text] : [time, text]
        guard self.last[path] != said else { return nil }
        if self.last[path] != nil || self.last.count < Self.memory { self.last[path] = said }
        return Line(time: time, subject: subject, text: text)
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

    private static func codes(_ json: JSON) -> String {
        let lamp = json["mil"].bool.map { $0 ? "lamp on" : "lamp off" } ?? "lamp unknown"
        let codes = json["codes"].elements.map { code in
            let states = code["states"].elements.compactMap(\.string).joined(separator: ", ")
            return "\(code["code"].string ?? "?") (\(code["ecu"].string ?? "?"): \(states))"
        }
        guard json["known"].bool == true else { return "not known; \(lamp)" }
        return (codes.isEmpty ? "none" : codes.joined(separator: ", ")) + "; \(lamp)"
    }

    private static func monitors(_ json: JSON) -> String {
        let open = json["monitors"].members.filter { $0.value == "incomplete" }.map(\.key)
        return open.isEmpty ? "all complete" : "incomplete: \(open.joined(separator: ", "))"
    }
}

extension JSON {
    /// A value for people, with three decimals at most.
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
