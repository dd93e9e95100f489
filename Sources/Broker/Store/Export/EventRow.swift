// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The exported rows of an event about codes and of a finding.
enum EventRow {
    static let codeColumns = [
        "vehicle", "time", "clock", "event", "code", "description", "ecu", "states", "epoch", "seq",
    ]
    static let findingColumns = ["vehicle", "time", "clock", "severity", "text", "codes", "issuer", "id", "number"]

    /// Returns the cells of an event: none if it is not about codes, `nil` if the record is damaged.
    static func code(_ entry: Recording.Entry, of vehicle: String) -> [JSON]? {
        guard case .object(let event) = try? JSON(parsing: entry.body, depthLimit: 8),
            case .string(let name) = event["event"]
        else { return nil }
        guard AgentEvent.Kind(rawValue: name)?.isAboutCodes == true else { return [] }
        return [
            .string(vehicle), .string(entry.time.description), .string(entry.clock.rawValue), .string(name),
            event["code"] ?? .null, event["description"] ?? .null, event["ecu"] ?? .null, Self.words(event["states"]),
            .integer(Int64(clamping: entry.id.epoch)), .integer(Int64(clamping: entry.id.seq)),
        ]
    }

    /// Returns the cells of a finding, or `nil` if the record is damaged.
    static func finding(_ entry: Recording.Entry, of vehicle: String) -> [JSON]? {
        guard let json = try? JSON(parsing: entry.body, depthLimit: 8), let finding = Finding(json) else { return nil }
        return [
            .string(vehicle), .string(entry.time.description), .string(entry.clock.rawValue),
            .string(finding.severity.rawValue), .string(finding.text), .string(finding.codes.joined(separator: " ")),
            finding.issuer.map { .string($0) } ?? .null, .string(finding.id), .integer(entry.id.rawValue),
        ]
    }

    /// Returns a cell with all texts of an array, separated by blanks, or null if there is no array.
    private static func words(_ json: JSON?) -> JSON {
        guard case .array(let words) = json else { return .null }
        return .string(words.compactMap { if case .string(let word) = $0 { word } else { nil } }.joined(separator: " "))
    }
}
