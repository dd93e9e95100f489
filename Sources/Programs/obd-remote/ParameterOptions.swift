// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import OBD2
import Remote

/// The option of the commands that name parameters.
struct ParameterOptions: ParsableArguments {
    @Flag(name: .long, help: "Send names that look misspelled, too: they may be custom parameters of the vehicle.")
    var custom = false

    /// The names that a shell completes.
    static let completion = CompletionKind.custom { _, _, _ in ParameterName.all }

    /// Returns the names in the words of a user, and as the list for a command; a mistake is wrong usage.
    static func chosen(_ words: [String]) throws(ValidationError) -> (names: [String], list: JSON) {
        let names = try validated { () throws(ArgumentProblem) in
            try ParameterWords.names(words, of: "the parameters")
        }
        return (names, .array(names.map { .string($0) }))
    }

    /// Throws if a name is probably a misspelled one, and the vehicle does not report a custom parameter of this name.
    func check(_ names: [String], of vehicle: RemoteVehicle) async throws {
        guard !self.custom, !ParameterWords.corrections(names, knowing: .null).isEmpty else { return }
        // Whoever may send commands only is not kept from it.
        let payload = try? await vehicle.broker.retained(["vehicle"], of: vehicle.name).last?.payload
        let report = JSON(payload: payload ?? [])
        guard let (name, correction) = ParameterWords.corrections(names, knowing: report).first else { return }
        throw CommandFailure(
            .usage,
            "\(name) is no parameter of the catalog, and \(vehicle.name) reports none of this name; nothing was sent",
            next: "\(correction), or --custom, if the vehicle has a custom parameter \(name)."
        )
    }
}

/// Returns what `body` returns; a mistake in an argument is wrong usage.
func validated<Success>(_ body: () throws(ArgumentProblem) -> Success) throws(ValidationError) -> Success {
    do throws(ArgumentProblem) { return try body() } catch { throw ValidationError(error.description) }
}
