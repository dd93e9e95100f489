// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import EventLoop
import MQTT
package import Base
package import Subscriber

/// A broker, and what its topics begin with.
package struct RemoteBroker {
    /// How long what is retained may take to come, unless somebody says so.
    private static let patience = Duration.seconds(30)

    /// Its URL.
    package let name: String
    package let client: BrokerClient
    package let topics: FleetTopics
    /// How long to wait at most; nil: as long as it makes sense.
    package let timeout: Duration?

    package var now: MonotonicTime { BootClock().now }
    /// When the time is up that somebody gave.
    package var deadline: MonotonicTime? { self.timeout.map { self.now + $0 } }

    /// Lets a machine run; what goes wrong is told with an exit code.
    package func run<Machine: BrokerMachine>(
        _ machine: Machine,
        until stop: (@Sendable () async -> Void)? = nil,
        tell: (Machine.Progress) throws -> Void = { _ in }
    ) async throws -> Machine.Outcome {
        do {
            return try await self.client.run(machine, until: stop, report: tell)
        } catch let error as MQTTError {
            throw CommandFailure(Self.status(of: error), "\(self.name): \(error)")
        } catch let error as TopicError {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// What is retained on these topics, of one vehicle or of all.
    package func retained(_ paths: [String], of vehicle: String? = nil) async throws -> [Message] {
        let filters = try self.filters(paths, of: vehicle)
        let machine = RetainedMessages(filters, until: self.now + (self.timeout ?? Self.patience))
        switch try await self.run(machine) {
        case .forbidden: throw Self.forbidden(filters.map(\.description).joined(separator: ", "))
        case .collected(let messages, let isComplete):
            if !isComplete { Output.note("This may not be all: more was still coming when the time was up.") }
            return messages
        }
    }

    /// The filters for topics of one vehicle or of all.
    package func filters(_ paths: [String], of vehicle: String?) throws -> [TopicFilter] {
        do {
            return try paths.map { path throws(TopicError) in
                if let vehicle { try self.topics.filter(path, of: vehicle) } else { try self.topics.filter(path) }
            }
        } catch {
            throw CommandFailure(.usage, "--vehicle: \(error)")
        }
    }

    /// The broker does not let this client read something.
    package static func forbidden(_ what: String) -> CommandFailure {
        CommandFailure(.noPermission, "the broker does not let this client read \(what)")
    }

    private static func status(of error: MQTTError) -> ExitStatus {
        switch error {
        case .refused(.badCredentials), .refused(.notAuthorized), .refused(.banned): .noPermission
        case .invalid: .configuration
        default: .unavailable
        }
    }
}
