// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension MessageDecoder {
    mutating func state(
        _ message: Message,
        _ topic: String,
        of vehicle: String,
        at now: Timestamp
    ) throws(Fault) -> Decoded {
        func state(_ time: Timestamp?, _ body: [UInt8]) -> CollectedState {
            CollectedState(vehicle: vehicle, topic: topic, time: time, body: body, receivedAt: now)
        }
        let payload = message.payload
        guard payload.count <= Self.stateLimit else {
            throw Fault("the payload has more than \(Self.stateLimit) bytes")
        }
        if payload.isEmpty {
            let isGone = topic == "availability" || topic == "status"
            return .state(state(nil, []), changes: [], presence: isGone ? .gone(vehicle) : nil)
        }
        if topic == "availability" {
            guard let availability = Availability(rawValue: String(decoding: payload.prefix(16), as: UTF8.self)) else {
                throw Fault("\"availability\" is neither \"online\" nor \"offline\"")
            }
            return .state(
                state(nil, Array("\"\(availability.rawValue)\"".utf8)),
                changes: [],
                presence: .availability(vehicle, isOnline: availability == .online)
            )
        }
        let json = Self.withValidTimes(try Self.object(payload).withoutNUL, topic)
        let time = try Self.time(json, "time")
        let result = state(time, Array(json.text.utf8))
        switch topic {
        case "status":
            guard let agent = json["agent"].string, agent.utf8.count <= 128, Self.isAgent(agent) else {
                throw Fault("\"agent\" is no identity of an agent")
            }
            return .state(
                result,
                changes: Self.acknowledged(json["acknowledged"], agent, vehicle),
                // A retained status may be of an agent that has left long ago.
                presence: .agent(vehicle, agent: agent, since: message.retain ? min(time, now) : now)
            )
        case "vehicle":
            self.units.vehicleReceived(json, vehicle)
            return .state(result, changes: [], presence: nil)
        default: return .state(result, changes: [], presence: nil)
        }
    }

    /// Returns a state without the texts that should be times and are none, which would break the views of all vehicles.
    private static func withValidTimes(_ json: JSON, _ topic: String) -> JSON {
        switch topic {
        case "status": return Self.withValidTime(json, "vehicle_seen")
        case "codes":
            guard case .object(var members) = json, case .array(let codes) = members["codes"] else { return json }
            members["codes"] = .array(codes.map { Self.withValidTime($0, "first_seen") })
            return .object(members)
        default: return json
        }
    }

    private static func withValidTime(_ json: JSON, _ name: String) -> JSON {
        guard case .object(var members) = json, let text = members[name] else { return json }
        let time = text.time.flatMap { Self.timeRange.contains($0.milliseconds) ? $0 : nil }
        members[name] = time.map { .string($0.description) }
        return .object(members)
    }

    /// Returns the numbers that the broker has acknowledged to the agent: these records exist.
    private static func acknowledged(_ json: JSON, _ agent: String, _ vehicle: String) -> [StreamChange] {
        guard let epoch = json["epoch"].count else { return [] }
        return RecordStream.allCases.compactMap { stream in
            json[stream.rawValue].count.map { number -> StreamChange in
                let key = StreamKey(agent: agent, vehicle: vehicle, stream: stream, epoch: epoch)
                return StreamChange(key, .exists(number))
            }
        }
    }
}

extension CollectedState {
    /// The collected retained topics, after the vehicle's level.
    package static let topics: Set = [
        "availability", "codes", "finding", "limits", "monitors", "position", "status", "trip", "vehicle",
    ]
}
