// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base

/// The options that choose a range of times.
struct TimeRangeOptions: ParsableArguments {
    @Option(name: .long, help: "The first day or time, such as 2026-11-21 or 2026-11-21T10:00:00Z.")
    var from: String?

    @Option(name: .long, help: "The last day, which is included, or the end as a time.")
    var to: String?

    func validate() throws { _ = try self.range() }

    /// Returns the range of times: from the first, and before the second.
    func range() throws -> (from: Timestamp?, to: Timestamp?) {
        let from = try self.from.map { try Self.time($0, "--from") }
        let to = try self.to.map { try Self.time($0, "--to") }
        // A day ends where the next begins.
        let end = to.map { $0.isDay ? $0.time + .seconds(86_400) : $0.time }
        if let from, let end, from.time >= end { throw ValidationError("--from is not before --to") }
        return (from?.time, end)
    }

    private static func time(_ text: String, _ option: String) throws -> (time: Timestamp, isDay: Bool) {
        if let time = Timestamp(text) { return (time, false) }
        if let day = Timestamp(text + "T00:00:00Z") { return (day, true) }
        throw ValidationError(
            "\(option) \(text) is no time. Try: 2026-11-21, which is UTC, or 2026-11-21T10:00:00+01:00"
        )
    }
}
