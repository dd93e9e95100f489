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
        guard payload.count <= Self.sizeLimit else { throw Fault("the payload has more than \(Self.sizeLimit) bytes") }
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
        let json = try Self.object(payload).withoutNUL
        let result = state(try Self.time(json, "time"), Array(json.text.utf8))
        switch topic {
        case "status":
            guard let agent = json["agent"].string, agent.utf8.count <= 128, Self.isAgent(agent) else {
                throw Fault("\"agent\" is no identity of an agent")
            }
            return .state(
                result,
                changes: Self.acknowledged(json["acknowledged"], agent),
                presence: .agent(vehicle, agent: agent)
            )
        case "vehicle":
            self.units.vehicleReceived(json, vehicle)
            return .state(result, changes: [], presence: nil)
        default: return .state(result, changes: [], presence: nil)
        }
    }

    /// Returns the numbers that the broker has acknowledged to the agent: these records exist.
    private static func acknowledged(_ json: JSON, _ agent: String) -> [StreamChange] {
        guard let epoch = json["epoch"].count else { return [] }
        return RecordStream.allCases.compactMap { stream in
            json[stream.rawValue].count.map { number in
                StreamChange(StreamKey(agent: agent, stream: stream, epoch: epoch), .exists(number))
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
