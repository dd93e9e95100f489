// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

/// A word such as `engine_speed=0.5`: a parameter or a category, and a number.
struct ParameterRate: Hashable {
    /// The meaning of the number.
    enum What {
        case interval, deadBand
    }

    let name: String
    let number: Double

    /// The PID of a parameter that has several names; of any other one the name itself.
    var identity: String {
        guard let parameter = Parameter.named(self.name), parameter.name == self.name || self.name.utf8.count <= 4
        else {
            return self.name
        }
        return parameter.name
    }

    init(_ word: String, what: What) throws(ArgumentProblem) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let name = parts[0]
        let place = what == .interval ? "" : "--dead-band "
        guard !name.isEmpty else {
            throw ArgumentProblem("\(place)\(JSON.string(word).text) has no name", next: Self.example(what))
        }
        try ParameterWords.check(name, withCategories: true)
        guard parts.count == 2 else {
            let next = "\(name)=\(what == .interval ? "1, the seconds between two readings" : "50, the least change")"
            throw ArgumentProblem("\(place)\(JSON.string(name).text) has no number", next: next)
        }
        guard let number = Double(parts[1]), number.isFinite else {
            throw ArgumentProblem(
                "\(place)\(JSON.string(word).text): \(JSON.string(parts[1]).text) is no number of \(what == .interval ? "seconds" : "units")",
                next: Self.example(what)
            )
        }
        (self.name, self.number) = (name, number)
        switch what {
        case .interval:
            try ArgumentProblem.check(number, in: CommandLimits.pollIntervals, "the interval of \(name)")
        case .deadBand:
            guard 0...CommandLimits.deadBand ~= number else {
                throw ArgumentProblem(
                    "--dead-band \(word): the least change must be a number from 0",
                    next: Self.example(what)
                )
            }
        }
    }

    private static func example(_ what: What) -> String {
        what == .interval
            ? "NAME=SECONDS, as in engine_speed=0.5" : "NAME=CHANGE, as in --dead-band engine_speed=50"
    }
}
