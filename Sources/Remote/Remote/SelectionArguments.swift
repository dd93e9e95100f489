// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// A request to change the polled parameters, as written on a command line.
package struct SelectionArguments: Hashable, Sendable {
    /// An error in the request, in a sentence for the user.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The arguments of `select_parameters`.
    package let arguments: [String: JSON]

    /// - Parameters:
    ///   - parameters: the complete new selection, each `NAME=SECONDS`.
    ///   - changes: additions to the present selection, each `NAME=SECONDS`.
    ///   - removed: the names that are polled no longer, separately or with commas.
    ///   - deadBands: the dead bands of names in `parameters` or `changes`, each `NAME=CHANGE`.
    ///   - duration: the time in seconds after which the previous selection returns; nil for a permanent change.
    ///   - expectedVersion: the version of the selection that is changed; nil for any.
    ///   - isStrict: whether the agent refuses the request if the vehicle does not support a parameter.
    package init(
        parameters: [String] = [],
        changes: [String] = [],
        removed: [String] = [],
        deadBands: [String] = [],
        duration: Double? = nil,
        expectedVersion: Int64? = nil,
        isStrict: Bool = false
    ) throws(Problem) {
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
        self.arguments = arguments
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
}
