// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A line of the agent's feed, which programs on the agent's machine read from its socket: a JSON object.
///
/// The payloads are those of the topics. A reader sends nothing.
package enum FeedLine: Hashable, Sendable {
    /// The beginning, and the beginning of another vehicle: what comes after it is about this one.
    case greeting(FeedGreeting)
    /// A payload of a topic, as it is published over MQTT; an empty one removes the topic.
    ///
    /// The payload counts as retained if the agent had it before the reader connected.
    case message(path: String, isRetained: Bool, payload: [UInt8])
    /// The agent lives, and has had nothing to tell for ``FeedGreeting/usualHeartbeat``.
    case heartbeat
    /// The last line.
    case end(FeedEnd)

    /// The largest number of bytes in a line, with its end.
    package static let limit = 524_288
    /// The deepest nesting of arrays and objects: that of a payload, and the line's own.
    private static let depthLimit = 33

    /// Parses a line without its end.
    ///
    /// - Returns: nil if the line is none of these, such as a line of a later version.
    package init?(parsing line: [UInt8]) {
        guard let json = try? JSON(parsing: line, depthLimit: Self.depthLimit) else { return nil }
        if let path = json["path"].string {
            self = .message(
                path: path,
                isRetained: json["retained"].bool == true,
                payload: Self.payload(json["payload"])
            )
        } else if let reason = json["end"].string {
            self = .end(FeedEnd(rawValue: reason) ?? .other)
        } else if json["heartbeat"].bool == true {
            self = .heartbeat
        } else if let greeting = FeedGreeting(json) {
            self = .greeting(greeting)
        } else {
            return nil
        }
    }

    /// The line with its end.
    package var bytes: [UInt8] {
        switch self {
        case .greeting(let greeting): Array(greeting.json.text.utf8) + [Self.newline]
        case .message(let path, let isRetained, let payload):
            Array(#"{"path":\#(JSON.string(path).text),"retained":\#(isRetained),"payload":"#.utf8)
                + Self.json(payload, of: path) + [UInt8(ascii: "}"), Self.newline]
        case .heartbeat: Array(#"{"heartbeat":true}"#.utf8) + [Self.newline]
        case .end(let reason): Array(#"{"end":"\#(reason.rawValue)"}"#.utf8) + [Self.newline]
        }
    }

    package static let newline = UInt8(ascii: "\n")

    /// Returns a payload as JSON: the bare word of `availability` becomes a string, an empty payload null.
    private static func json(_ payload: [UInt8], of path: String) -> [UInt8] {
        if payload.isEmpty { return Array("null".utf8) }
        guard path == TopicPath.availability.text else { return payload }
        return Array(JSON.string(String(decoding: payload, as: UTF8.self)).text.utf8)
    }

    private static func payload(_ json: JSON) -> [UInt8] {
        switch json {
        case .null: []
        case .string(let text): Array(text.utf8)
        default: Array(json.text.utf8)
        }
    }
}

/// The agent of a feed, and the place of its topics.
package struct FeedGreeting: Hashable, Sendable {
    /// The agent's identity, as in `status`.
    package let agent: String
    /// The prefix of all topics.
    package let prefix: Topic
    /// The topic level of the vehicle.
    package let vehicle: String
    /// The longest time without a line; nil of an agent that sends no heartbeat.
    package let heartbeat: Duration?

    /// The heartbeat of this version.
    package static let usualHeartbeat = Duration.seconds(5)
    /// The longest time that is taken from a greeting, in seconds.
    private static let longestHeartbeat = 3600.0

    package init(agent: String, prefix: Topic, vehicle: String, heartbeat: Duration? = Self.usualHeartbeat) {
        self.agent = agent
        self.prefix = prefix
        self.vehicle = vehicle
        self.heartbeat = heartbeat
    }

    init?(_ json: JSON) {
        guard let agent = json["agent"].string, let vehicle = json["vehicle"].string, Topic.isLevel(vehicle),
            let prefix = json["prefix"].string.flatMap({ try? Topic($0) })
        else { return nil }
        let heartbeat = json["heartbeat"].double.flatMap { 1...Self.longestHeartbeat ~= $0 ? $0 : nil }
        self.init(
            agent: agent,
            prefix: prefix,
            vehicle: vehicle,
            heartbeat: heartbeat.map { .milliseconds(Int64($0 * 1000)) }
        )
    }

    var json: JSON {
        var members: [String: JSON] = [
            "v": 1, "agent": .string(self.agent), "prefix": .string(self.prefix.description),
            "vehicle": .string(self.vehicle),
        ]
        members["heartbeat"] = self.heartbeat.map { .number($0.seconds) }
        return .object(members)
    }
}

/// The reason why the agent ends the connection of a reader.
package enum FeedEnd: String, CaseIterable, Hashable, Sendable {
    /// The agent ends.
    case stopping
    /// The reader does not read as fast as the agent has values.
    case slow
    /// As many programs read as may.
    case full
    /// A reason of a later version.
    case other
}

extension FeedEnd: CustomStringConvertible {
    package var description: String {
        switch self {
        case .stopping: "the agent has ended"
        case .slow: "the agent has dropped this program, which read too slowly"
        case .full: "as many programs read from the agent already as may at a time"
        case .other: "the agent has ended the connection"
        }
    }
}
