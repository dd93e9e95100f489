// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Base
import Contract
import EventLoop
import Subscriber

/// The options that choose a vehicle on a broker.
package struct VehicleChoice: ParsableArguments {
    @OptionGroup package var broker: BrokerOptions

    package init() {}

    @Option(name: .long, help: "The vehicle, as list shows it. Needed only if the broker knows more than one.")
    package var vehicle: String?

    /// Returns the named vehicle, or the only one that the broker knows.
    ///
    /// The broker need not know the named one: it queues commands for a vehicle that has never been online.
    package func chosen(on broker: BrokerAccess) async throws -> String {
        if let name = BrokerOptions.value(self.vehicle, "VEHICLE") {
            _ = try broker.filters(["status"], of: name)
            return name
        }
        let names = try await broker.fleet().vehicles.map(\.name)
        guard let name = names.first else {
            throw CommandFailure(
                .usage,
                "--vehicle is missing, and \(broker.name) shows no vehicle",
                next: "--vehicle NAME, or another --prefix; an agent shows its vehicle once it has identified it."
            )
        }
        guard names.count == 1 else { throw Self.failure("--vehicle is missing", known: names) }
        return name
    }

    /// Returns the named vehicle, which the broker must know, or the only one that it knows.
    package func known(on broker: BrokerAccess) async throws -> String {
        let name = try await self.chosen(on: broker)
        guard BrokerOptions.value(self.vehicle, "VEHICLE") != nil, try await !broker.knows(name) else { return name }
        throw Self.failure(
            "\(broker.name) shows no vehicle \(name) below \(broker.topics.prefix)/",
            known: try await broker.fleet().vehicles.map(\.name)
        )
    }

    /// Returns the failure of a choice, with the names to choose from.
    package static func failure(_ problem: String, known names: [String]) -> CommandFailure {
        guard !names.isEmpty else {
            return CommandFailure(.usage, "\(problem), nor any other", next: "another --prefix, or another --broker.")
        }
        let known = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        return CommandFailure(.usage, "\(problem). Known vehicles: \(known)", next: "--vehicle with one of them.")
    }
}

extension Timestamp {
    /// The present time of this machine's clock.
    package static var present: Timestamp { Timestamp(milliseconds: KernelClock.now.millisecondsSince1970) }
}
