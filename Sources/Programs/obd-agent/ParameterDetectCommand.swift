// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import ELM327
import EventLoop
import OBD2
import Session

struct ParameterDetectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Finds the model of the vehicle by the requests that it answers.",
        discussion: """
            The make and the model year come from the VIN. Asks at most 41 reading requests of the make's signal sets, \
            at most five a second, while the engine runs or an electric vehicle is switched on. Prints the models whose \
            requests are answered, the best one first.

            Examples:
              obd-agent parameters detect --adapter tcp:192.168.0.10:35000
              obd-agent parameters detect --make Kia --year 2023 --catalog ~/signals
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Option(
        name: .long,
        help: "A folder or tar archive with signal sets; may be repeated (default: [parameters] catalog)."
    )
    var catalog: [String] = []

    @Option(name: .long, help: "The make (default: the one that the VIN tells).")
    var make: String?

    @Option(name: .long, help: "The model year (default: the one that the VIN tells).")
    var year: Int?

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() async throws {
        let local = try CatalogOptions.open(self.catalog, self.adapter.configuration)
        // A mistyped make is found before the vehicle is asked.
        if let make = self.make { _ = try Self.search(local, [make], self.year) }
        try await self.adapter.withVehicle { reader in
            try await reader.readInformation()
            guard let identity = reader.identity else { throw SessionError.notConnected }
            let search = try self.search(local, identity)
            try await Self.requireUse(of: identity, reader)
            let detection = try await ModelDetectionRun(reader, identity).detect(search)
            if self.json { return try JSONOutput.print(JSON.object(detection.report(of: search))) }
            guard !detection.proposals.isEmpty else {
                throw CommandFailure(
                    .failed,
                    "the vehicle answered none of \(detection.counts.all) requests of \(search.candidates.count) models",
                    next: "another --make; or the set of the make: obd-agent parameters models."
                )
            }
            for line in ModelReport(detection, search).lines { Console.print(line) }
        }
    }

    private func search(_ local: LocalCatalog, _ identity: VehicleIdentity) throws -> ModelSearch {
        let makes = self.make.map { [$0] } ?? identity.vin?.makes ?? []
        guard !makes.isEmpty else {
            let reason = identity.vin.map { "the manufacturer of VIN \($0) is unknown" } ?? "the vehicle reports no VIN"
            throw CommandFailure(.failed, reason, next: "--make, with a make of: obd-agent parameters models.")
        }
        let present = SystemClock(trustsSystem: true).timestamp.year
        return try Self.search(local, makes, self.year ?? identity.vin?.modelYear(notAfter: present + 1))
    }

    private static func search(_ local: LocalCatalog, _ makes: [String], _ year: Int?) throws -> ModelSearch {
        let search = local.search(makes: makes, year: year)
        guard search.candidates.contains(where: { !$0.requests.isEmpty }) else {
            throw CommandFailure(
                .noInput,
                "the catalog has no signal set of \(makes.joined(separator: " or "))",
                next: "--make, with a make of: obd-agent parameters models."
            )
        }
        return search
    }

    /// Ends the command if the engine of a vehicle is off that drives with its engine only.
    private static func requireUse(of identity: VehicleIdentity, _ reader: DirectReader) async throws {
        guard !identity.drivesElectrically else { return }
        guard case .answered(let answers) = try await reader.outcome(of: 0x0C) else { return }
        let runs = answers.values.contains { answer in
            guard case .positive(let messages) = answer else { return false }
            return messages.contains { $0.dropFirst(2).contains { $0 != 0 } }
        }
        guard runs else {
            throw CommandFailure(
                .failed,
                "the engine is off, so the vehicle is not asked",
                next: "start the engine, then this command again."
            )
        }
    }
}
