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
    package func chosen(on broker: BrokerAccess) async throws -> String {
        if let name = BrokerOptions.value(self.vehicle, "VEHICLE") {
            _ = try broker.filters(["status"], of: name)
            return name
        }
        var fleet = Fleet(broker.topics)
        for message in try await broker.retained(["availability", "status"]) { fleet.receive(message) }
        let names = fleet.vehicles.map(\.name)
        guard let name = names.first else {
            throw CommandFailure(
                .usage,
                "--vehicle is missing, and \(broker.name) shows no vehicle",
                next: "--vehicle NAME, or another --prefix; an agent shows its vehicle once it has identified it."
            )
        }
        guard names.count == 1 else {
            let known = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
            throw CommandFailure(
                .usage,
                "--vehicle is missing. Known vehicles: \(known)",
                next: "--vehicle with one of them."
            )
        }
        return name
    }
}

extension Timestamp {
    /// The present time of this machine's clock.
    package static var present: Timestamp { Timestamp(milliseconds: KernelClock.now.millisecondsSince1970) }
}
