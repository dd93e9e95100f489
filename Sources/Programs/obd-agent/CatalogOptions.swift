// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import SignalSets

/// The options that name the local catalog of signal sets.
struct CatalogOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        name: .long,
        help: "A folder or tar archive with signal sets; may be repeated (default: [parameters] catalog).",
        completion: .file()
    )
    var catalog: [String] = []

    /// Returns the catalog; a catalog without sets ends the command.
    func open() throws -> LocalCatalog { try Self.open(self.catalog, self.configuration) }

    /// Returns the catalog at these paths, or the configured one without any; a catalog without sets ends the command.
    static func open(_ named: [String], _ configuration: ConfigurationOptions) throws -> LocalCatalog {
        let paths = try named.isEmpty ? configuration.catalog() : named
        let local = LocalCatalog(paths: paths)
        for source in local.sources where !named.isEmpty {
            guard let problem = source.problem else { continue }
            throw CommandFailure(
                .noInput,
                "--catalog: \(source.path) can't be read: \(problem)",
                next: TextFile.problem(reading: source.path) == nil
                    ? "a folder, or the whole archive again."
                    : "a folder or a tar archive that this user may read."
            )
        }
        guard !local.catalog.entries.isEmpty else {
            let places = paths.isEmpty ? "[parameters] catalog, which is empty" : paths.joined(separator: ", ")
            let problems = local.sources.compactMap(\.problem).map { " (\($0))" }
            throw CommandFailure(
                .noInput,
                "no signal sets in \(places)\(problems.first ?? "")",
                next: named.isEmpty
                    ? "apt-get install ./obd-signals_DATE_all.deb (made by make signals), or --catalog DIR."
                    : "a folder of OBDb's repositories, or of files such as Kia-EV9.json, or the package obd-signals."
            )
        }
        return local
    }
}
