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
        return try Self.only(of: try await broker.fleet(), on: broker)
    }

    private static func only(of fleet: Fleet, on broker: BrokerAccess) throws -> String {
        let names = fleet.vehicles.map(\.name)
        guard let name = names.first else { throw BrokerAccess.noVehicle(broker) }
        guard names.count == 1 else { throw Self.failure("--vehicle is missing", known: names) }
        return name
    }

    /// Returns the named vehicle, which the broker must know, or the only one that it knows.
    package func known(on broker: BrokerAccess) async throws -> String {
        let name = try await self.chosen(on: broker)
        guard BrokerOptions.value(self.vehicle, "VEHICLE") != nil, try await !broker.knows(name) else { return name }
        throw Self.failure(
            "\(broker.name) shows no vehicle \(name) below \(broker.topics.prefix)/",
            known: try await broker.fleet().vehicles.map(\.name),
            wanted: name
        )
    }

    /// Returns the vehicle as ``known(on:)`` does.
    ///
    /// If the broker knows no vehicle at all, and a person is there, waits for the first.
    package func awaited(on broker: BrokerAccess, until deadline: MonotonicTime?) async throws -> String {
        guard BrokerOptions.value(self.vehicle, "VEHICLE") == nil, BrokerAccess.isWatched else {
            return try await self.known(on: broker)
        }
        let fleet = try await broker.fleet()
        guard fleet.vehicles.allSatisfy(\.isNamedForAgent) else { return try Self.only(of: fleet, on: broker) }
        return try await broker.firstVehicle(until: deadline) { $0.vehicles }
    }

    /// Returns the failure of a choice, with the names to choose from.
    ///
    /// - Parameter wanted: the name that none of them is.
    package static func failure(
        _ problem: String,
        known names: [String],
        wanted: String? = nil
    ) -> CommandFailure {
        guard !names.isEmpty else {
            return CommandFailure(
                .usage,
                "\(problem), nor any other",
                next:
                    "another --prefix or --broker; a rule in the broker's access list that lets this user read: a broker "
                    + "sends nothing instead of refusing."
            )
        }
        let known = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        let near = wanted.flatMap { NearName.find($0, in: names) }
        return CommandFailure(
            .usage,
            "\(problem). Known vehicles: \(known)",
            next: near.map { "--vehicle \($0.shellWord)" } ?? "--vehicle with one of them."
        )
    }
}

extension Timestamp {
    /// The present time of this machine's clock.
    package static var present: Timestamp { Timestamp(milliseconds: KernelClock.now.millisecondsSince1970) }
}
