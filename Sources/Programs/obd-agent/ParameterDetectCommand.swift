// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Commands
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
            The make and the model year come from the VIN, unless --make and --year name others; many electric vehicles \
            report no VIN. Asks at most 41 reading requests of the make's signal sets, at most five a second, and only \
            while the engine runs or the vehicle moves. For an electric vehicle or a hybrid, whose engine may be off, \
            say with --vehicle-is-on that it is switched on. Prints the models whose requests are answered, the best one \
            first.

            Examples:
              obd-agent parameters detect --adapter tcp:192.168.0.10:35000
              obd-agent parameters detect --make Kia --year 2023 --catalog ~/signals
              obd-agent parameters detect --vehicle-is-on
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Option(
        name: .long,
        help: "A folder or tar archive with signal sets; may be repeated (default: [parameters] catalog).",
        completion: .file()
    )
    var catalog: [String] = []

    @Option(name: .long, help: "The make (default: that of the VIN).")
    var make: String?

    @OptionGroup var modelYear: ModelYearOption

    @Flag(name: .long, help: "State that the electric vehicle or the hybrid is switched on, with its drive ready.")
    var vehicleIsOn = false

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() async throws {
        let local = try CatalogOptions.open(self.catalog, self.adapter.configuration)
        // A mistyped make is found before the vehicle is asked. Some electric cars answer its requests only.
        let known = try self.make.map { try Self.search(local, [$0], self.modelYear.year) }
        try await self.adapter.withVehicle(searching: known.map(SearchRequests.init)) { reader in
            try await reader.readInformation()
            guard let identity = reader.identity else { throw SessionError.notConnected }
            let search = try self.search(local, identity).limited { identity.reaches($0) }
            let models = search.candidates.count.counted("model")
            guard search.hasRequests else {
                throw CommandFailure(
                    .failed,
                    "the vehicle's bus, \(identity.bus.title), carries none of the requests of \(models)",
                    next: identity.dialect == .j1939
                        ? "obd-agent read, which shows what a heavy vehicle broadcasts; signal sets are for cars."
                        : "another --make or --year; obd-agent parameters models lists the makes."
                )
            }
            try await self.requireUse(reader)
            let detection = try await self.detect(search, reader).detection
            let report = JSON.object(detection.report(of: search))
            if self.json { try JSONOutput.print(report) }
            guard !detection.proposals.isEmpty else {
                throw CommandFailure(
                    .failed,
                    "the vehicle answered none of \(detection.counts.all.counted("request")) of \(models)",
                    next: "another --make; or the set of the make: obd-agent parameters models."
                )
            }
            guard !self.json else { return }
            for line in DetectionText(report, options: self.importOptions).lines { Console.print(line) }
        }
    }

    private func detect(
        _ search: ModelSearch,
        _ reader: DirectReader
    ) async throws -> ModelDetectionRun {
        try await ModelDetectionRun(search, clock: SystemClock(trustsSystem: true)) { request, count in
            Console.progress("asking \(request), \(count) of at most \(ModelDetection.requestLimit)")
            return ModelDetection.Answer(try await reader.outcome(of: request))
        } pause: { duration in
            try await reader.pause(for: duration)
        } check: { () -> Refusal? in
            try await self.requireUse(reader)
            return nil
        }
    }

    /// The options with which the import finds the same catalog.
    private var importOptions: [String] {
        guard self.catalog.isEmpty else { return self.catalog.flatMap { ["--catalog", $0] } }
        let path = self.adapter.configuration.config
        return path == ConfigurationOptions.defaultPath ? [] : ["--config", path]
    }

    private func search(_ local: LocalCatalog, _ identity: VehicleIdentity) throws -> ModelSearch {
        let makes = self.make.map { [$0] } ?? identity.vin?.makes ?? []
        guard !makes.isEmpty else {
            throw CommandFailure(
                .failed,
                identity.vin.map { "the manufacturer of VIN \($0) is unknown" }
                    ?? "the vehicle reports no VIN, like many electric ones, so its make is unknown",
                next: "--make MAKE, and --year YEAR if you know it; obd-agent parameters models lists the makes."
            )
        }
        let present = SystemClock(trustsSystem: true).timestamp.year
        return try Self.search(local, makes, self.modelYear.year ?? identity.vin?.modelYear(notAfter: present + 1))
    }

    private static func search(_ local: LocalCatalog, _ makes: [String], _ year: Int?) throws -> ModelSearch {
        let search = local.search(makes: makes, year: year)
        guard search.hasRequests else {
            throw CommandFailure(
                .noInput,
                local.reasonOfEmptySearch(makes: makes, year: year),
                next: "another --make or --year; obd-agent parameters models lists the makes."
            )
        }
        return search
    }

    /// Ends the command if the vehicle is not in use.
    private func requireUse(_ reader: DirectReader) async throws {
        if let obstacle = try await reader.readUse().obstacle(isSaidToBeOn: self.vehicleIsOn) { throw obstacle }
    }
}
