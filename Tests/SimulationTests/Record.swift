// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// A record as a consumer reads it.
struct Record: Sendable {
    struct Sample: Sendable {
        var name: String
        var value: Double
        var scale: Double
        /// The time in milliseconds since 1970.
        var date: Int64
        var isSynchronised: Bool
    }

    var epoch: Int64
    var seq: Int64
    /// The record without its date, which the agent may know better when it sends the record again.
    var body: JSON
    /// The kind of the event; nil in telemetry.
    var event: String?
    /// The samples of telemetry, in the order of each series.
    var samples: [Sample] = []

    init?(_ json: JSON) {
        guard case .object(let members) = json, case .integer(let epoch) = members["epoch"],
            case .integer(let seq) = members["seq"]
        else { return nil }
        (self.epoch, self.seq) = (epoch, seq)
        self.body = .object(members.filter { !["t0", "time", "clock"].contains($0.key) })
        if case .string(let event) = members["event"] { self.event = event }
        guard case .object(let series) = members["series"] else { return }
        guard case .string(let text) = members["t0"], let start = Timestamp(text) else { return nil }
        for (name, json) in series {
            guard case .object(let one) = json, let scale = one["scale"]?.double,
                case .array(let times) = one["dt"], case .array(let steps) = one["dv"], times.count == steps.count
            else { return nil }
            var (date, value) = (start.milliseconds, Int64(0))
            for (time, step) in zip(times, steps) {
                guard case .integer(let time) = time, case .integer(let step) = step else { return nil }
                (date, value) = (date + time, value + step)
                self.samples.append(
                    Sample(
                        name: name,
                        value: Double(value) * scale,
                        scale: scale,
                        date: date,
                        isSynchronised: members["clock"] == "synchronised"
                    )
                )
            }
        }
    }

    /// Whether the record has the first samples of a record with the body `whole`, and nothing else.
    func isBeginning(of whole: JSON) -> Bool {
        guard case .object(let part) = self.body, case .object(let all) = whole,
            part.filter({ $0.key != "series" }) == all.filter({ $0.key != "series" }),
            case .object(let series) = part["series"], case .object(let others) = all["series"]
        else { return false }
        return series.allSatisfy { name, one in
            guard case .object(let one) = one, case .object(let other) = others[name] else { return false }
            return Set(one.keys) == Set(other.keys)
                && one.allSatisfy { key, value in
                    guard case .array(let elements) = value, case .array(let more) = other[key] else {
                        return value == other[key]
                    }
                    return more.starts(with: elements)
                }
        }
    }
}
