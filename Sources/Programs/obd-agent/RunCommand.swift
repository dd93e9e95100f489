// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import Logging
import Systemd

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the agent until SIGTERM or SIGINT.",
        discussion: """
            Adapter, vehicle and broker may come and go: the agent reconnects by itself. Without a broker in the \
            configuration it records, and serves "obd-agent watch". If the configuration is missing or wrong, the agent ends at once with exit code 78, and lists the mistakes.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .shortAndLong, help: "Also log debug messages.")
    var verbose = false

    func run() async throws {
        let configuration = try self.options.load()
        let level = self.verbose ? Logger.Level.debug : .info
        let context = LogContext()
        let isJournal = Journal.isStandardError
        let limiter = Locked(LogLimiter())
        LoggingSystem.bootstrap { _ in
            var handler: any LogHandler =
                isJournal ? JournalLogHandler(context: context, limiter: limiter) : LineLogHandler()
            handler.logLevel = level
            return handler
        }
        let logger = Logger(label: "obd-agent")
        if let file = configuration.exposedPINFile {
            logger.warning("Every local user can read [adapter] pin in \(file). Try: chown root:obd-agent, chmod 640")
        }
        if let directory = configuration.store.directory, let problem = Directory.make(directory) {
            // The store says what becomes of the records.
            logger.error("[store] directory \(directory) is missing and cannot be made: \(problem)")
        }
        let agent: Agent
        // Two agents in one directory would number two records alike.
        let directory = configuration.store.directory ?? StateDirectory.own
        let lock: DirectoryLock?
        do throws(DirectoryLock.InUse) {
            lock = try DirectoryLock.acquire(directory)
        } catch {
            throw CommandFailure(
                .configuration,
                "[store] directory: \(error)",
                next: "stop that process, or set another [store] directory: each agent needs its own."
            )
        }
        defer { withExtendedLifetime(lock) {} }
        do {
            var surroundings = Surroundings.real
            surroundings.logContext = context
            surroundings.machine = surroundings.machine.agent(in: directory)
            // An agent that a user has started holds the lock of this directory alone.
            surroundings.socketDirectory = directory
            let options = self.options
            surroundings.reload = { () throws(ConfigurationError) in try options.read() }
            agent = try await Agent.prepare(configuration, in: surroundings, logger: logger)
        } catch let error as AgentError {
            throw CommandFailure(error.status, error.description)
        } catch {
            throw CommandFailure(.configuration, "\(error)")
        }
        try await agent.run()
    }
}
