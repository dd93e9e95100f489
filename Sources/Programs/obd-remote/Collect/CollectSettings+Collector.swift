// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import CommandLine
import EventLoop
import Logging
import MQTT
import OBD2
import PostgreSQL
import Remote
import Subscriber

extension CollectSettings {
    /// The time until a request for missing records expires; the vehicle is online when it is sent.
    private static let validity = Duration.seconds(90)
    /// The time that a run with `--once` waits for the broker and the database, unless `--timeout` says another.
    private static let absenceLimit = Duration.seconds(60)

    /// Opens connections to the broker with the present password, which may have changed since the start.
    var connect: BrokerClient.Connect {
        let file = self.passwordFile
        return { options throws(MQTTError) in
            var options = options
            if let password = file.flatMap(TextFile.read), !password.isEmpty { options.password = password }
            return try MQTTConnection(options)
        }
    }

    /// Returns the options of the collector.
    ///
    /// - Parameters:
    ///   - time: the time to collect; nil until stopped.
    ///   - once: whether to end once the broker has sent everything.
    func collectorOptions(until time: Duration?, once: Bool, logger: Logger) -> Collector.Options {
        var options = Collector.Options(
            topics: self.topics,
            share: self.share,
            keep: self.keep,
            run: OutgoingCommand.newID(),
            unit: { Parameter.symbol(ofSeries: $0) },
            command: self.command(logger)
        )
        options.end = time.map { BootClock().now + $0 }
        options.endsWhenQuiet = once
        if once { options.absenceLimit = self.timeout?.duration ?? Self.absenceLimit }
        options.hasPredecessor = CollectStatus.hasRun(self.connection.clientID, file: self.statusFile)
        let (settings, name) = (self.brokerSettings, self.brokerName)
        options.nextStep = { error in
            switch error {
            // The next attempt is the next step.
            case .connectionLost, .closed, .notConnected: nil
            // The log names the client id.
            case .closedByBroker(RivalWatch.takenOver, _): nil
            default: error.nextStep(settings, of: name)
            }
        }
        return options
    }

    /// Returns the maker of the messages that ask for missing records.
    private func command(_ logger: Logger) -> @Sendable (ResendRequest) -> Message? {
        let (topics, key, requester) = (self.topics, self.key, self.connection.clientID)
        return { request in
            let command = OutgoingCommand(
                ResendRequest.command,
                request.arguments,
                for: request.vehicle,
                at: .present,
                validity: Self.validity,
                id: request.id
            )
            do {
                let payload = try command.payload(signedBy: key)
                return Message(
                    topic: try topics.topic("commands", of: request.vehicle),
                    payload: payload,
                    qos: .atLeastOnce,
                    properties: Message.Properties(
                        responseTopic: try topics.topic("responses/\(requester)", of: request.vehicle),
                        correlationData: Array(request.id.utf8),
                        expiry: UInt32(Self.validity.components.seconds),
                        contentType: key == nil ? "application/json" : "application/jose"
                    )
                )
            } catch {
                logger.error("A request for missing records of \(request.vehicle) can't be made: \(error)")
                return nil
            }
        }
    }
}

extension DatabaseChoice {
    /// The name under which PostgreSQL lists the connection.
    static let applicationName = "obd-remote collect"

    /// Returns the maker of the database, which is called on the thread of the database.
    ///
    /// - Parameter interrupt: ends the calls of the database.
    func opener(_ interrupt: PollInterrupt) -> @Sendable () throws(CollectError) -> any CollectDatabase {
        switch self {
        case .sqlite(let path): return { SQLiteCollectDatabase(path) }
        case .postgreSQL(let url, let passwordFile):
            return { () throws(CollectError) in
                let password = passwordFile.flatMap(TextFile.read)
                do throws(PostgreSQLError) {
                    let target = try PostgreSQLTarget(url, password: password, name: Self.applicationName)
                    return PostgreSQLCollectDatabase(target, interrupt: interrupt)
                } catch {
                    throw .refused("\(error)")
                }
            }
        }
    }
}
