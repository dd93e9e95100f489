// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import Glibc
import Store
import Subscriber

struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Removes all data of a vehicle from this machine and its brokers.",
        discussion: """
            Removes the vehicle's recording, codes, findings, last values, selection and commands from the database, \
            and replaces its names in records of other vehicles. Deletes the last dialogue with the adapter. Empties \
            the vehicle's retained topics on the broker, and its device in Home Assistant. A vehicle that returns is a \
            new one. Exports, backups and the data of other programs stay.

            Stop the agent first: it would publish the vehicle again.

            Examples:
              sudo systemctl stop obd-agent
              sudo obd-agent forget ZZZSMVLATR4700893 --dry-run
              sudo obd-agent forget ZZZSMVLATR4700893
            """
    )

    @Argument(help: "The vehicle: its VIN, alias or topic level, as obd-agent vehicles shows it.")
    var vehicle: String

    @OptionGroup var recorded: RecordingDirectory

    @OptionGroup var broker: BrokerOptions

    @Flag(name: .long, help: "Leave the brokers alone.")
    var localOnly = false

    @Flag(name: .long, help: "Also delete damaged databases that were set aside: they may hold any vehicle.")
    var corruptFiles = false

    @Flag(name: .long, help: "Show what would be removed, and remove nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Do not ask.")
    var yes = false

    func validate() throws {
        if self.localOnly, self.broker.broker != nil {
            throw ValidationError("--local-only and --broker exclude each other")
        }
    }

    func run() async throws {
        guard self.yes || self.dryRun || isatty(0) == 1 else {
            throw CommandFailure(.usage, "the question cannot be asked: standard input is no terminal", next: "--yes")
        }
        let configuration = try self.configured()
        // Root reads the secrets. The directories are opened as the agent's user.
        let brokers = try self.brokers(configuration)
        let directory = try self.recorded.path()
        try self.dropRoot(directory)
        let lock = try Self.lock(directory)
        defer { withExtendedLifetime(lock) {} }
        let files = self.files(beside: directory)
        do {
            let erasure = try VehicleErasure(in: directory)
            guard let traces = try VehicleTraces(of: self.vehicle, in: erasure, directory, configuration) else {
                let known = try erasure.vehicles().map(\.name).sorted().joined(separator: ", ")
                throw CommandFailure(
                    .noInput,
                    "\"\(self.vehicle)\" is unknown. Known vehicles: \(known)",
                    next: "one of them, or another --directory or --config."
                )
            }
            let damaged = erasure.damagedFiles
            let counts = try erasure.counts(of: traces.names)
            self.show(traces, counts, in: directory, files, damaged, on: brokers)
            if self.dryRun { return Console.print("Nothing was removed.") }
            guard
                self.yes
                    || Console.isConfirmed(
                        "Type yes to forget this vehicle:",
                        interrupt: { _ in Console.end(saying: "Nothing was removed.") }
                    )
            else {
                throw CommandFailure(.notConfirmed, "nothing was removed")
            }
            // The broker first: the database tells which topics may be retained there.
            var left: [String] = []
            for broker in brokers { left += try await broker.empty(traces.topics, and: traces.filters) }
            try erasure.erase(traces.names, announced: traces.announced)
            for file in files + (self.corruptFiles ? damaged : []) { TextFile.remove(file) }
            Console.print("Forgotten: \(traces.names.sorted().joined(separator: ", "))")
            guard left.isEmpty else { throw BrokerAccess.remains(left) }
        } catch let error as StoreError {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    // MARK: - Directory and brokers

    /// Returns the configuration; nil if it is missing, and none of its brokers is to be emptied.
    private func configured() throws -> Configuration? {
        guard self.localOnly || self.broker.broker != nil else { return try self.recorded.configuration.load() }
        return try? self.recorded.configuration.read()
    }

    private func brokers(_ configuration: Configuration?) throws -> [BrokerAccess] {
        if self.localOnly { return [] }
        if self.broker.broker != nil { return [try self.broker.brokerAccess()] }
        return try configuration.map { try self.broker.brokerAccesses(of: $0) } ?? []
    }

    private func dropRoot(_ directory: String) throws {
        do throws(RootPrivileges.NotDropped) {
            try RootPrivileges.drop(toOwnerOf: directory)
        } catch {
            throw CommandFailure(.noPermission, "\(error)")
        }
    }

    private static func lock(_ directory: String) throws -> DirectoryLock? {
        do throws(DirectoryLock.InUse) {
            return try DirectoryLock.acquire(directory)
        } catch {
            throw CommandFailure(
                .unavailable,
                "\(error): a running agent would publish the vehicle again.",
                next: "sudo systemctl stop obd-agent, forget the vehicle, and start the agent again."
            )
        }
    }

    /// Returns the files of the dialogue with the adapter, of the last status and of what is known about the adapter and
    /// the vehicle, which may be of any vehicle.
    private func files(beside directory: String) -> [String] {
        let places = self.recorded.directory == nil ? RuntimeDirectory.candidates : []
        let names = KeptFile.segments + KeptFile.segmentsBefore + [KeptFile.status, AdapterFile.name]
        return Set([directory] + places).sorted().flatMap { place in names.map { "\(place)/\($0)" } }
            .filter(TextFile.isRegular)
    }

    // MARK: - Data

    private func show(
        _ traces: VehicleTraces,
        _ counts: [(table: String, count: Int64)],
        in directory: String,
        _ files: [String],
        _ damaged: [String],
        on brokers: [BrokerAccess]
    ) {
        Console.print("Vehicle   \(traces.names.sorted().joined(separator: ", "))")
        let rows = counts.map { "\($0.count) in \($0.table)" }.joined(separator: ", ")
        Console.print("Database  \(directory): \(rows.isEmpty ? "no rows" : rows)")
        for file in files { Console.print("File      \(file)") }
        for file in damaged {
            let isKept = !self.corruptFiles
            Console.print(isKept ? "Kept      \(file), which --corrupt-files removes" : "File      \(file)")
        }
        for broker in brokers {
            Console.print("Broker    \(broker.name): \(traces.filters.map(\.description).joined(separator: ", "))")
        }
    }
}
