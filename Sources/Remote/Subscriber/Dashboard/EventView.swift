// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// An event as texts for the user.
struct EventView: Hashable, Sendable {
    let time: Timestamp
    /// Whether that time is from a synchronized clock.
    let isCertain: Bool
    /// The kind, such as `code appeared`.
    let name: String
    /// The details: the code, the figures, the reason.
    let details: String
    let style: TextStyle

    /// Reads the payload; nil if it is no event with a time.
    init?(_ json: JSON) {
        guard let event = json["event"].string, let time = json["time"].time else { return nil }
        self.time = time
        self.isCertain = json["clock"].string == ClockQuality.synchronised.rawValue
        self.name = Printable.text(Words.term("event.\(event)") ?? CodeView.phrase(event.prefix(bytes: 40)))
        self.details = Printable.text(Self.details(json).joined(separator: ", ").prefix(bytes: 300))
        self.style =
            switch event {
            case "code_appeared", "mil_on", "battery_low", "wrong_vehicle", "limit_exceeded", "records_dropped",
                "upgrade_rolled_back":
                .danger
            case "code_found", "vehicle_changed", "disconnected", "shutting_down", "before_clear": .attention
            case "code_gone", "mil_off", "limit_cleared": .good
            default: .plain
            }
    }

    private static func details(_ json: JSON) -> [String] {
        let (limit, trip, finding) = (json["limit"], json["trip"], json["finding"])
        let states = json["states"].elements.prefix(8).compactMap { $0.string.map(CodeView.phrase) }
        let records = [json["from"].count, json["to"].count].compactMap { $0.map { "\($0)" } }
        let subject: [String?] = [
            [json["code"].string, json["ecu"].string.map { "(\($0))" }].compactMap(\.self).joined(separator: " "),
            json["description"].string, states.joined(separator: ", "), limit["name"].string, limit["when"].string,
        ]
        let figures: [String?] = [
            Self.figure(json["voltage"], "V"), Self.figure(json["state_of_charge"], "%"),
            Self.figure(json["energy"], "kWh"), Self.figure(trip["distance"], "km"), Self.minutes(trip["duration"]),
            Self.minutes(json["duration"]),
        ]
        let words: [String?] = [
            json["capture"]["rule"].string, finding["severity"].string, finding["text"].string, json["vin"].string,
            json["previous"].string.map { "before: \($0)" }, json["vehicle"].string, json["stream"].string,
            records.joined(separator: " to "), json["issuer"].string.map { "by \($0)" },
            json["failed_version"].string.map { "from \($0)" }, json["version"].string.map { "to \($0)" },
            json["reason"].string,
        ]
        return (subject + figures + words).compactMap { $0?.prefix(bytes: 200) }.filter { !$0.isEmpty }
    }

    private static func figure(_ json: JSON, _ unit: String) -> String? {
        json.double.flatMap { $0.isFinite ? "\(JSON.number($0).shown) \(unit)" : nil }
    }

    private static func minutes(_ json: JSON) -> String? {
        json.double.flatMap { 0...1e9 ~= $0 ? "\(Int($0 / 60)) min" : nil }
    }
}
