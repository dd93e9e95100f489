// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ArgumentParser
import Contract
import EventLoop
import Subscriber

/// Which vehicle, on which broker.
package struct VehicleChoice: ParsableArguments {
    @OptionGroup package var broker: BrokerOptions

    package init() {}

    @Option(name: .long, help: "The vehicle, as list shows it; needed only where there are more than one.")
    package var vehicle: String?

    /// The vehicle that is meant: the one that was named, or else the only one.
    package func chosen(on broker: RemoteBroker) async throws -> String {
        if let name = BrokerOptions.value(self.vehicle, "VEHICLE") {
            _ = try broker.filters(["status"], of: name)
            return name
        }
        var fleet = Fleet(broker.topics)
        for message in try await broker.retained(["availability", "status"]) { fleet.receive(message) }
        let names = fleet.vehicles.map(\.name)
        guard let name = names.first else {
            throw CommandFailure(.usage, "--vehicle is missing, and \(broker.name) tells of none")
        }
        guard names.count == 1 else {
            let known = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
            throw CommandFailure(.usage, "--vehicle is missing; these are known: \(known)")
        }
        return name
    }
}

extension Timestamp {
    /// The present date, as this machine has it.
    package static var present: Timestamp { Timestamp(milliseconds: KernelClock.now.millisecondsSince1970) }
}
