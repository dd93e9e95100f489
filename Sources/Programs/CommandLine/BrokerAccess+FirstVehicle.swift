// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Glibc
package import Subscriber

extension BrokerAccess {
    /// Whether a command may wait for a person: one who reads standard error, and sees the screen.
    package static var isWatched: Bool { isatty(1) == 1 && isatty(2) == 1 }

    /// Waits until the broker shows a wanted vehicle, and tells on standard error what it waits for.
    ///
    /// - Parameters:
    ///   - deadline: the end of the wait; nil to wait until Ctrl-C.
    ///   - wanted: returns the wanted vehicles of those that the broker shows.
    package func firstVehicle(
        until deadline: MonotonicTime?,
        _ wanted: @escaping @Sendable (Fleet) -> [VehiclePicture]
    ) async throws -> String {
        let machine: FirstVehicle
        do throws(TopicError) {
            machine = try FirstVehicle(self.topics, until: deadline, wanted: wanted)
        } catch {
            throw CommandFailure(.usage, "--prefix: \(error)")
        }
        Output.note(
            "\(self.name) knows no vehicle below \(self.topics.prefix)/ yet. Waiting for the first; Ctrl-C ends."
        )
        let outcome = try await self.run(machine, until: nil) { progress in
            switch progress {
            case .agent(let picture):
                let problem = picture.problem.map { ": \($0)" } ?? ""
                Output.note(
                    "\(picture.name) is online and has not identified its vehicle (\(picture.activity))\(problem)"
                )
            case .silent:
                Output.note(SilenceWatch.words("\(self.topics.prefix)/+/status"))
                Output.note("Try: start an agent with this broker; \(SilenceWatch.nextStep)")
            case .connectionLost(let error): Output.note("\(error); reconnecting")
            }
        }
        switch outcome {
        case .found(let name): return name
        case .forbidden: throw Self.forbidden(machine.filters.map(\.description).joined(separator: ", "))
        case .timedOut: throw Self.noVehicle(self)
        }
    }

    /// Returns the failure of a broker that shows no vehicle.
    package static func noVehicle(_ broker: BrokerAccess) -> CommandFailure {
        CommandFailure(
            .unavailable,
            "\(broker.name) shows no vehicle below \(broker.topics.prefix)/: no agent has identified one yet, or the broker's "
                + "access list does not let this user read, which no broker reports",
            next:
                "obd-agent check on the machine in the vehicle; --vehicle NAME; another --prefix, --broker or --username."
        )
    }
}
