// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Store

/// What is exported of one event about codes, and of one finding.
enum EventRow {
    static let codeColumns = [
        "vehicle", "time", "clock", "event", "code", "description", "ecu", "states", "epoch", "seq",
    ]
    static let findingColumns = ["vehicle", "time", "clock", "number", "finding"]

    /// The cells of an event; empty where it is not about codes, nil where the record is damaged.
    static func code(_ entry: Recording.Entry, of vehicle: String) -> [JSON]? {
        guard case .object(let event) = try? JSON(parsing: entry.body, depthLimit: 8),
            case .string(let name) = event["event"]
        else { return nil }
        guard AgentEvent.Kind(rawValue: name)?.isAboutCodes == true else { return [] }
        var states = JSON.null
        if case .array(let names) = event["states"] {
            states = .string(
                names.compactMap { if case .string(let name) = $0 { name } else { nil } }.joined(separator: " ")
            )
        }
        return [
            .string(vehicle), .string(entry.time.description), .string(entry.clock.rawValue), .string(name),
            event["code"] ?? .null, event["description"] ?? .null, event["ecu"] ?? .null, states,
            .integer(Int64(clamping: entry.id.epoch)), .integer(Int64(clamping: entry.id.seq)),
        ]
    }

    /// The cells of a finding.
    static func finding(_ entry: Recording.Entry, of vehicle: String) -> [JSON]? {
        guard let finding = String(validating: entry.body, as: UTF8.self) else { return nil }
        return [
            .string(vehicle), .string(entry.time.description), .string(entry.clock.rawValue),
            .integer(entry.id.rawValue), .string(finding),
        ]
    }
}
