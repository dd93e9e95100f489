// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import Collect
import CommandLine
import EventLoop
import Glibc
import Logging
import MQTT
import Subscriber
import Systemd
import UnixSignals

extension ObdRemote {
    /// Collects the records of a fleet into a database.
    struct Collect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "collect",
            abstract: "Writes the records of all vehicles into a database, each once, until Ctrl-C.",
            discussion: """
                The broker keeps what the database does not have yet, and the agents send again what the broker has \
                lost. Without --database the records go to the SQLite file obd.db in the current folder.

                Examples:
                  obd-remote collect --broker mqtts://broker.example
                  obd-remote collect --config collect.toml
                  obd-remote collect --status
                """
        )

        @OptionGroup var options: CollectOptions

        @Option(name: .customLong("for"), help: "How long to collect, such as 5m or 2h (default: until Ctrl-C).")
        var time: TimeSpan?

        @Flag(name: .long, help: "End once the broker has sent everything that it has.")
        var once = false

        @Flag(name: .long, help: "Show the state of the collector that runs on this machine, and end.")
        var status = false

        @Flag(name: .long, help: "Print the state as JSON.")
        var json = false

        func validate() throws {
            guard !self.json || self.status else { throw ValidationError("--json needs --status") }
            guard !self.status || (self.time == nil && !self.once) else {
                throw ValidationError("--status ends at once, so --for and --once have no meaning")
            }
        }

        func run() async throws {
            if self.status {
                return try CollectStatus(file: self.options.presentStatusFile()).print(asJSON: self.json)
            }
            let settings = try self.options.settings()
            let logger = Logger(label: "obd-collect")
            let interrupt = PollInterrupt()
            let opener = settings.database.opener(interrupt)
            let lock = try Self.lock(settings)
            defer { withExtendedLifetime(lock) {} }
            let collector: Collector
            do throws(TopicError) {
                collector = try Collector(
                    settings.collectorOptions(until: self.time?.duration, once: self.once, logger: logger),
                    connection: settings.connection,
                    names: (settings.brokerName, settings.database.name),
                    clock: BootClock(),
                    date: { .present },
                    logger: logger,
                    connect: settings.connect,
                    open: opener,
                    interrupt: { interrupt.signal() }
                )
            } catch {
                throw CommandFailure(.usage, "no topic can be made of the prefix and the client id: \(error)")
            }
            let reporter = CollectReporter(collector, settings: settings, manager: ServiceManager.own, logger: logger)
            let outcome = try await self.run(collector, reporter, settings)
            reporter.finish(printsTotal: self.once)
            try Self.check(outcome, settings)
            if self.once { Self.noteRest(collector.status, settings) }
        }

        /// Runs a collector until it ends, or until SIGINT or SIGTERM; the second signal does not wait.
        private func run(
            _ collector: Collector,
            _ reporter: CollectReporter,
            _ settings: CollectSettings
        ) async throws -> Collecting.Outcome {
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    var count = 0
                    for await signal in signals {
                        count += 1
                        if count > 1 { _exit(128 + (signal == .sigint ? SIGINT : SIGTERM)) }
                        reporter.stopping()
                        collector.stop()
                    }
                }
                group.addTask { await reporter.run() }
                do {
                    return try await collector.run()
                } catch let error as MQTTError {
                    throw BrokerAccess.failure(error, of: settings.brokerName, settings.brokerSettings)
                }
            }
        }

        /// Keeps a second collector with the same client id from starting; they would throw each other off the broker.
        private static func lock(_ settings: CollectSettings) throws -> DirectoryLock? {
            do throws(DirectoryLock.InUse) {
                return try DirectoryLock.acquire(file: settings.lockFile)
            } catch {
                throw CommandFailure(
                    .temporaryFailure,
                    "another collector here has the client id \(settings.connection.clientID): \(error)",
                    next: "--client-id NAME or client_id, another one for each collector."
                )
            }
        }

        /// Tells what a short run could not do.
        private static func noteRest(_ status: CollectorStatus, _ settings: CollectSettings) {
            if status.lastMessage == nil {
                Output.note(SilenceWatch.words("\(settings.topics.prefix)/…"))
                Output.note("Try: \(SilenceWatch.nextStep)")
            }
            guard status.missing > 0 else { return }
            Output.note(
                "\(status.missing) records of \(status.incompleteStreams) streams are missing, and --once asks no agent for them"
            )
            Output.note("Try: --for 5m instead of --once, while the vehicles are online.")
        }

        private static func check(_ outcome: Collecting.Outcome, _ settings: CollectSettings) throws {
            switch outcome {
            case .ended: return
            case .forbidden(let filter): throw BrokerAccess.forbidden(filter.description)
            case .brokerFailed(let error):
                throw BrokerAccess.failure(error, of: settings.brokerName, settings.brokerSettings)
            case .databaseFailed(let error):
                let place = settings.databasePlace.map { "\($0): " } ?? ""
                let status: ExitStatus = if case .refused = error { .configuration } else { .unavailable }
                // The error has its remedy already, if there is one.
                throw CommandFailure(status, "\(place)\(error)")
            }
        }
    }
}
