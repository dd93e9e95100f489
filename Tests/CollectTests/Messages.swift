// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Subscriber

@testable import Collect

/// Messages as agents publish them.
enum Messages {
    static let now = Timestamp("2026-11-21T10:00:05Z") ?? Timestamp(milliseconds: 0)
    static let time = "2026-11-21T10:00:00.000Z"

    static func decoder() throws -> MessageDecoder {
        MessageDecoder(FleetTopics(prefix: try Topic("obd"))) { $0 == "vehicle_speed" ? "km/h" : nil }
    }

    static func message(_ path: String, _ json: JSON, of vehicle: String = "van") throws -> Message {
        Message(topic: try Topic("obd/\(vehicle)/\(path)"), payload: Array(json.text.utf8), qos: .atLeastOnce)
    }

    /// Returns the members of a record's header, with others.
    static func record(
        _ seq: UInt64,
        agent: String = "a1",
        epoch: UInt64 = 7,
        _ timeName: String,
        _ members: [String: JSON]
    ) -> JSON {
        .object(
            [
                "v": 1, "agent": .string(agent), "epoch": .integer(Int64(epoch)), "seq": .integer(Int64(seq)),
                "clock": "synchronised", timeName: .string(Self.time),
            ].merging(members) { $1 }
        )
    }

    static func telemetry(
        _ seq: UInt64,
        agent: String = "a1",
        epoch: UInt64 = 7,
        of vehicle: String = "van",
        _ series: JSON = ["vehicle_speed": ["ecu": "7E8", "scale": 0.5, "dt": [0, 1000], "dv": [100, -2]]]
    ) throws -> Message {
        try Self.message(
            "telemetry",
            Self.record(seq, agent: agent, epoch: epoch, "t0", ["series": series]),
            of: vehicle
        )
    }

    static func event(
        _ seq: UInt64,
        _ event: String,
        _ members: [String: JSON] = [:],
        epoch: UInt64 = 7,
        of vehicle: String = "van"
    ) throws -> Message {
        let record = Self.record(seq, epoch: epoch, "time", ["event": .string(event)].merging(members) { $1 })
        return try Self.message("events", record, of: vehicle)
    }

    static func response(
        _ seq: UInt64,
        epoch: UInt64 = 7,
        _ members: [String: JSON],
        of vehicle: String = "van"
    ) throws -> Message {
        try Self.message("responses", Self.record(seq, epoch: epoch, "time", members), of: vehicle)
    }

    /// Returns the response to a command `resend` for the telemetry of an epoch.
    static func resent(
        _ seq: UInt64,
        epoch: UInt64 = 7,
        asked: UInt64 = 7,
        from: UInt64,
        to: UInt64,
        missing: [ClosedRange<UInt64>] = [],
        last: UInt64,
        of vehicle: String = "van"
    ) throws -> Message {
        let report = ResendReport(
            .telemetry,
            epoch: asked,
            from: from,
            to: to,
            records: 0,
            missing: missing,
            last: last
        )
        let members: [String: JSON] = [
            "id": "c", "command": "resend", "state": "succeeded", "result": report.json,
        ]
        return try Self.response(seq, epoch: epoch, members, of: vehicle)
    }

    /// Returns a batch of decoded messages.
    static func batch(_ messages: [Message]) throws -> Batch {
        var decoder = try Self.decoder()
        var batch = Batch()
        for message in messages {
            let decoded = decoder.decode(message, at: Self.now)
            batch.add(decoded, size: message.payload.count, packet: nil, at: Self.now)
        }
        return batch
    }
}
