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

    @Option(
        name: .long,
        help: "The vehicle: its name, as list shows it, or its VIN. Not needed if the broker knows a single one."
    )
    package var vehicle: String?

    /// The treatment of a vehicle that the broker has never seen.
    package enum Unseen: Sendable {
        /// The vehicle must be known.
        case refused
        /// The vehicle must be known, unless the broker shows no vehicle at all: it queues commands.
        case sent(always: Bool)
    }

    private var named: OptionValue? { OptionValue(self.vehicle, of: "--vehicle") }

    /// Returns the named vehicle, or the one that is meant without a name.
    ///
    /// - Parameters:
    ///   - unseen: the treatment of a named vehicle that the broker has never seen.
    ///   - takesOnline: whether the only vehicle that is online is meant, if the broker knows more.
    package func known(
        on broker: BrokerAccess,
        unseen: Unseen = .refused,
        takesOnline: Bool = true
    ) async throws -> String {
        guard let wanted = self.named else {
            return try Self.meant(of: try await broker.fleet(), on: broker, takesOnline: takesOnline)
        }
        guard Topic.isLevel(wanted.text) else {
            throw CommandFailure(.usage, "\(wanted.name): \(TopicError.notALevel(wanted.text))")
        }
        if try await broker.knows(wanted.text) { return wanted.text }
        let fleet = try await broker.fleet(VehiclePicture.paths.filter { $0 != "codes" })
        if let name = fleet.name(of: wanted.text) {
            Output.note("\(wanted.text) is the VIN of \(name).")
            return name
        }
        let names = fleet.vehicles.map(\.name)
        let problem = "\(broker.name) shows no vehicle \(wanted.text) below \(broker.topics.prefix)/"
        switch unseen {
        case .refused: throw Self.failure(problem, known: names, wanted: wanted.text)
        case .sent(let always) where always || names.isEmpty: return wanted.text
        case .sent:
            throw Self.failure(
                "\(problem), so nothing was sent",
                known: names,
                wanted: wanted.text,
                alternative: "--unseen, if the vehicle has never been online at this broker"
            )
        }
    }

    private static func meant(of fleet: Fleet, on broker: BrokerAccess, takesOnline: Bool) throws -> String {
        switch fleet.meant {
        case .none: throw BrokerAccess.noVehicle(broker)
        case .only(let name): return name
        case .onlyOnline(let name) where takesOnline:
            Output.note(
                "\(name) is the only one of \(fleet.vehicles.count) vehicles that is online. --vehicle chooses another."
            )
            return name
        case .onlyOnline, .several: throw Self.failure("--vehicle is missing", known: fleet.vehicles.map(\.name))
        }
    }

    /// Returns the vehicle as ``known(on:unseen:takesOnline:)`` does.
    ///
    /// If the broker knows no vehicle at all, and a person is there, waits for the first.
    package func awaited(on broker: BrokerAccess, until deadline: MonotonicTime?) async throws -> String {
        guard self.named == nil, BrokerAccess.isWatched else { return try await self.known(on: broker) }
        let fleet = try await broker.fleet()
        guard fleet.vehicles.allSatisfy(\.isNamedForAgent) else {
            return try Self.meant(of: fleet, on: broker, takesOnline: true)
        }
        return try await broker.firstVehicle(until: deadline) { $0.vehicles }
    }

    /// Returns the failure of a choice, with the names to choose from.
    ///
    /// - Parameters:
    ///   - wanted: the name that none of them is.
    ///   - alternative: another next step.
    package static func failure(
        _ problem: String,
        known names: [String],
        wanted: String? = nil,
        alternative: String? = nil
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
        let end = alternative.map { "; or \($0)." } ?? (near == nil ? "." : "")
        let next = (near.map { "--vehicle \($0.shellWord)" } ?? "--vehicle with one of them") + end
        return CommandFailure(
            .usage,
            "\(problem). Known vehicles: \(known)",
            next: next
        )
    }
}

extension Timestamp {
    /// The present time of this machine's clock.
    package static var present: Timestamp { Timestamp(milliseconds: KernelClock.now.millisecondsSince1970) }
}
