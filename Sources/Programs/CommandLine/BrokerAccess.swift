// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import EventLoop
package import MQTT
package import Subscriber

/// A broker as the commands use it: its client, its topics, and the time limit of the user.
package struct BrokerAccess {
    /// The time limit for retained messages if there is no ``timeout``.
    private static let retainedTimeout = Duration.seconds(30)

    /// The broker's URL.
    package let name: String
    package let client: BrokerClient
    package let topics: FleetTopics
    /// The place of the connection's settings.
    package let settings: BrokerSettings
    /// The longest time to wait; nil if each command has its own limit.
    package let timeout: Duration?

    package var now: MonotonicTime { BootClock().now }
    /// The end of ``timeout``, counted from now.
    package var deadline: MonotonicTime? { self.timeout.map { self.now + $0 } }

    /// Runs a machine.
    ///
    /// Errors become failures with an exit status.
    package func run<Machine: BrokerMachine>(
        _ machine: Machine,
        until stop: (@Sendable () async -> Void)? = nil,
        report: (Machine.Progress) throws -> Void = { _ in }
    ) async throws -> Machine.Outcome {
        do {
            return try await self.client.run(machine, until: stop, report: report)
        } catch let error as MQTTError {
            throw Self.failure(error, of: self.name, self.settings)
        } catch let error as TopicError {
            throw CommandFailure(
                .usage,
                "no topic can be made of the prefix and the vehicle's name: \(error)",
                next: "another --prefix or --vehicle."
            )
        }
    }

    /// Returns the retained messages on these topics, of one vehicle or of all.
    package func retained(_ paths: [String], of vehicle: String? = nil) async throws -> [Message] {
        let filters = try self.filters(paths, of: vehicle)
        let machine = RetainedMessages(filters, until: self.now + (self.timeout ?? Self.retainedTimeout))
        switch try await self.run(machine) {
        case .forbidden: throw Self.forbidden(filters.map(\.description).joined(separator: ", "))
        case .unanswered(let loss): throw self.unanswered(because: loss)
        case .collected(let messages, let isComplete):
            if !isComplete {
                Output.note("The list may be incomplete: the broker had not sent all of it at the time limit.")
            }
            return messages
        }
    }

    /// Returns the vehicles that the broker shows, with their states.
    ///
    /// - Parameter paths: the topics to read of each.
    package func fleet(_ paths: [String] = ["availability", "status"]) async throws -> Fleet {
        var fleet = Fleet(self.topics)
        for message in try await self.retained(paths) { fleet.receive(message) }
        return fleet
    }

    /// Returns whether the broker knows a vehicle, or does not let this client see whether it does.
    package func knows(_ vehicle: String) async throws -> Bool {
        let deadline = self.now + (self.timeout ?? Self.retainedTimeout)
        let search: VehicleSearch
        do throws(TopicError) {
            search = try VehicleSearch(of: vehicle, topics: self.topics, until: deadline)
        } catch {
            throw CommandFailure(.usage, "--vehicle: \(error)")
        }
        return try await self.run(search) != .notFound
    }

    /// Returns the filters for topics of one vehicle or of all.
    package func filters(_ paths: [String], of vehicle: String?) throws -> [TopicFilter] {
        do {
            return try paths.map { path throws(TopicError) in
                if let vehicle { try self.topics.filter(path, of: vehicle) } else { try self.topics.filter(path) }
            }
        } catch {
            throw CommandFailure(.usage, "--vehicle: \(error)")
        }
    }

    /// Returns the failure for topics that the broker does not let this client read.
    package static func forbidden(_ what: String) -> CommandFailure {
        CommandFailure(
            .noPermission,
            "the broker does not let this client read \(what)",
            next: "another --username, or a rule for this user in the broker's access list."
        )
    }

    /// Returns the failure of a broker that has not answered in time.
    ///
    /// - Parameter loss: the loss of the connection; nil if there was none.
    package func unanswered(because loss: MQTTError? = nil) -> CommandFailure {
        Self.failure(loss ?? self.client.silence, of: self.name, self.settings)
    }

    /// Returns the failure of a connection.
    ///
    /// - Parameter name: the broker's URL.
    package static func failure(_ error: MQTTError, of name: String, _ settings: BrokerSettings) -> CommandFailure {
        CommandFailure(Self.status(of: error), "\(name): \(error)", next: error.nextStep(settings, of: name))
    }

    private static func status(of error: MQTTError) -> ExitStatus {
        switch error {
        case .refused(.badCredentials), .refused(.notAuthorized), .refused(.banned): .noPermission
        case .invalid: .configuration
        case .tls(let reason) where TLSFailure(reason) == .badFile: .configuration
        default: .unavailable
        }
    }
}
