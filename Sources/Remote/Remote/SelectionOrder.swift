// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// What somebody wants to be polled, as they write it on a command line.
package struct SelectionOrder: Hashable, Sendable {
    /// What is wrong with it, in a sentence.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The arguments of `select_parameters`.
    package let arguments: [String: JSON]

    /// - Parameters:
    ///   - parameters: `NAME=SECONDS`, all that is polled from then on.
    ///   - changes: the same, beside what is polled already.
    ///   - removed: names, also with commas between, that are polled no more.
    ///   - deadBands: `NAME=CHANGE`, of what is named in `parameters` or `changes`.
    ///   - duration: in seconds, until the selection before comes back; nil: it lasts.
    ///   - expectedVersion: the version that it is meant for; nil: any.
    ///   - isStrict: whether it is refused where the vehicle lacks something of it.
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
                    ? "name what is to be read: NAME=SECONDS for all of it, or --set and --remove for changes"
                    : "either NAME=SECONDS, which is all that is read from then on, or --set and --remove, which change it"
            )
        }
        let wishes = try Self.wishes(parameters + changes, deadBands)
        if let both = removed.first(where: { wishes[$0] != nil }) {
            throw Problem(description: "\(both) is set and removed")
        }
        var arguments: [String: JSON] = [:]
        if !parameters.isEmpty { arguments["parameters"] = .object(wishes) }
        if !changes.isEmpty { arguments["set"] = .object(wishes) }
        if !removed.isEmpty { arguments["remove"] = .array(removed.map { .string($0) }) }
        arguments["duration"] = duration.map { .number($0) }
        if let expectedVersion {
            guard expectedVersion > 0 else {
                throw Problem(
                    description: "--expect-version: a whole number from 1, as select and the topic vehicle tell it"
                )
            }
            arguments["expected_version"] = .integer(expectedVersion)
        }
        if isStrict { arguments["strict"] = true }
        self.arguments = arguments
    }

    private static func wishes(_ intervals: [String], _ deadBands: [String]) throws(Problem) -> [String: JSON] {
        let example = "NAME=SECONDS, as in engine_speed=0.5"
        var wishes = try Self.numbers(intervals, example).mapValues { JSON.number($0) }
        for (name, deadBand) in try Self.numbers(deadBands, "NAME=CHANGE, as in --dead-band engine_speed=50") {
            guard let interval = wishes[name] else {
                throw Problem(description: "--dead-band \(name)=…: say how often it is read as well, \(name)=SECONDS")
            }
            wishes[name] = ["interval": interval, "dead_band": .number(deadBand)]
        }
        return wishes
    }

    private static func numbers(_ texts: [String], _ example: String) throws(Problem) -> [String: Double] {
        var numbers: [String: Double] = [:]
        for text in texts {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, let number = Double(parts[1]), number.isFinite else {
                throw Problem(description: "\"\(text)\" is not \(example)")
            }
            guard numbers.updateValue(number, forKey: String(parts[0])) == nil else {
                throw Problem(description: "\(parts[0]) is named twice")
            }
        }
        return numbers
    }
}
