// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import Subscriber

/// The command `select_parameters`: its arguments as a user writes them, and its result as text for the user.
package enum SelectionCommand {
    /// An error in the request, in a sentence for the user.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

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
    ) throws(Problem) -> [String: JSON] {
        let removed = removed.flatMap { $0.split(separator: ",") }.map(String.init)
        guard parameters.isEmpty != (changes.isEmpty && removed.isEmpty) else {
            throw Problem(
                description: parameters.isEmpty
                    ? "No parameter is given. Try: NAME=SECONDS to replace the selection, or --set and --remove"
                    : "NAME=SECONDS replaces the selection, --set and --remove change it. Try: one of both"
            )
        }
        let settings = try Self.settings(parameters + changes, deadBands)
        if let both = removed.first(where: { settings[$0] != nil }) {
            throw Problem(description: "\(both) is in --set and in --remove. Try: one of both")
        }
        var arguments: [String: JSON] = [:]
        if !parameters.isEmpty { arguments["parameters"] = .object(settings) }
        if !changes.isEmpty { arguments["set"] = .object(settings) }
        if !removed.isEmpty { arguments["remove"] = .array(removed.map { .string($0) }) }
        arguments["duration"] = duration.map { .number($0) }
        if let expectedVersion {
            guard expectedVersion > 0 else {
                throw Problem(
                    description: "--expect-version \(expectedVersion): the version must be positive"
                )
            }
            arguments["expected_version"] = .integer(expectedVersion)
        }
        if isStrict { arguments["strict"] = true }
        return arguments
    }

    private static func settings(_ intervals: [String], _ deadBands: [String]) throws(Problem) -> [String: JSON] {
        let example = "NAME=SECONDS, as in engine_speed=0.5"
        var settings = try Self.numbers(intervals, example).mapValues { JSON.number($0) }
        for (name, deadBand) in try Self.numbers(deadBands, "NAME=CHANGE, as in --dead-band engine_speed=50") {
            guard let interval = settings[name] else {
                throw Problem(description: "--dead-band \(name)=… has no interval. Try: \(name)=SECONDS as well")
            }
            settings[name] = ["interval": interval, "dead_band": .number(deadBand)]
        }
        return settings
    }

    private static func numbers(_ texts: [String], _ example: String) throws(Problem) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for text in texts {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let number = Double(parts[1]), number.isFinite else {
                throw Problem(description: "\"\(text)\" is not valid. Try: \(example)")
            }
            guard numbers.updateValue(number, forKey: String(parts[0])) == nil else {
                throw Problem(description: "\(parts[0]) is given twice. Try: one value")
            }
        }
        return numbers
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
