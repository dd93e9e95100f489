// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import Subscriber

/// The command `select_parameters`: its arguments as a user writes them, and its result as text for the user.
package enum SelectionCommand {
    // MARK: - The arguments

    /// Returns the arguments of the command.
    ///
    /// - Parameters:
    ///   - parameters: the complete new selection, each `NAME=SECONDS`.
    ///   - changes: additions to the present selection, each `NAME=SECONDS`.
    ///   - removed: the names that are polled no longer, separately or with commas.
    ///   - deadBands: the dead bands of names in `parameters` or `changes`, each `NAME=CHANGE`.
    ///   - duration: the time in seconds after which the previous selection returns; nil for a permanent change.
    ///   - expectedVersion: the version of the selection that is changed; nil for any.
    ///   - isStrict: whether the agent refuses the request if the vehicle does not support a parameter.
    package static func arguments(
        parameters: [String] = [],
        changes: [String] = [],
        removed: [String] = [],
        deadBands: [String] = [],
        duration: Double? = nil,
        expectedVersion: Int64? = nil,
        isStrict: Bool = false
    ) throws(ArgumentProblem) -> [String: JSON] {
        let removed = try ParameterWords.names(removed, of: "--remove", withCategories: true)
        guard parameters.isEmpty != (changes.isEmpty && removed.isEmpty) else {
            throw ArgumentProblem(
                parameters.isEmpty
                    ? "No parameter is given. Try: NAME=SECONDS to replace the selection, or --set and --remove"
                    : "NAME=SECONDS replaces the selection, --set and --remove change it. Try: one of both"
            )
        }
        let settings = try Self.settings(parameters + changes, deadBands)
        guard settings.count <= CommandLimits.selectedParameters else {
            throw ArgumentProblem("\(settings.count) parameters are more than \(CommandLimits.selectedParameters)")
        }
        if let both = removed.first(where: { settings[$0] != nil }) {
            throw ArgumentProblem("\(both) is in --set and in --remove. Try: one of both")
        }
        var arguments: [String: JSON] = [:]
        if !parameters.isEmpty { arguments["parameters"] = .object(settings) }
        if !changes.isEmpty { arguments["set"] = .object(settings) }
        if !removed.isEmpty { arguments["remove"] = .array(removed.map { .string($0) }) }
        if let duration {
            try ArgumentProblem.check(duration, in: CommandLimits.durations, "--for")
            arguments["duration"] = .number(duration)
        }
        if let expectedVersion {
            guard expectedVersion > 0 else {
                throw ArgumentProblem(
                    "--expect-version \(expectedVersion): the version must be positive"
                )
            }
            arguments["expected_version"] = .integer(expectedVersion)
        }
        if isStrict { arguments["strict"] = true }
        return arguments
    }

    private static func settings(_ intervals: [String], _ deadBands: [String]) throws(ArgumentProblem) -> [String: JSON]
    {
        let rates = try intervals.map { word throws(ArgumentProblem) in
            try ParameterRate(word, what: .interval)
        }
        try Self.checkDuplicates(rates)
        var settings = Dictionary(rates.map { ($0.name, JSON.number($0.number)) }) { first, _ in first }
        let bands = try deadBands.map { word throws(ArgumentProblem) in
            try ParameterRate(word, what: .deadBand)
        }
        try Self.checkDuplicates(bands)
        for band in bands {
            guard let interval = settings[band.name] else {
                throw ArgumentProblem(
                    "--dead-band \(band.name)=… has no interval",
                    next: "\(band.name)=SECONDS as well"
                )
            }
            settings[band.name] = ["interval": interval, "dead_band": .number(band.number)]
        }
        return settings
    }

    /// Throws if a name is given twice, or one parameter with two numbers under two names.
    private static func checkDuplicates(_ rates: [ParameterRate]) throws(ArgumentProblem) {
        var seen: [String: ParameterRate] = [:]
        for rate in rates {
            guard let other = seen.updateValue(rate, forKey: rate.identity) else { continue }
            guard other.name != rate.name else {
                throw ArgumentProblem("\(rate.name) is given twice", next: "one value")
            }
            guard other.number == rate.number else {
                throw ArgumentProblem("\(other.name) and \(rate.name) are the same parameter", next: "one of both")
            }
        }
    }

    // MARK: - The result

    /// Returns the rows of a table: the parameter, the requested interval, the achieved interval, the dead band.
    package static func rows(_ result: JSON) -> [[String]] {
        let deadBands = result["dead_bands"]
        var rows = result["parameters"].members.map { name, seconds in
            var row = [name, "every \(seconds.shown) s"]
            if let achieved = Self.achieved(result["achieved"], name, requested: seconds) { row.append(achieved) }
            if deadBands[name] != .null { row.append("dead-band \(deadBands[name].shown)") }
            return row
        }
        // A value that is polled as a part of another parameter has a dead band of its own.
        for (name, deadBand) in deadBands.members where result["parameters"][name] == .null {
            rows.append([name, "dead-band \(deadBand.shown)"])
        }
        return rows
    }

    /// Returns further remarks.
    package static func notes(_ result: JSON) -> [String] {
        var notes: [String] = []
        if result["achieved"] == .null, !result["parameters"].members.isEmpty {
            notes.append("The achieved intervals are unknown: nothing has been polled yet.")
        }
        notes += result["unsupported"].elements.map { "The vehicle does not support \($0.shown)." }
        if let seconds = result["duration"].double, 0...1e9 ~= seconds {
            notes.append("The previous selection returns after \(TimeSpan(.milliseconds(Int64(seconds * 1000)))).")
        }
        if let version = result["version"].count { notes.append("Version of the selection: \(version).") }
        return notes
    }

    private static func achieved(_ intervals: JSON, _ name: String, requested: JSON) -> String? {
        guard intervals != .null else { return nil }
        guard let seconds = intervals[name].double, let requested = requested.double else { return "not read" }
        return seconds <= requested ? "as requested" : "the link carries every \(intervals[name].shown) s"
    }
}
