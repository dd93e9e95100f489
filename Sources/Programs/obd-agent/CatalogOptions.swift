// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import SignalSets

/// The options that name the local catalog of signal sets.
struct CatalogOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        name: .long,
        help: "A folder or tar archive with signal sets; may be repeated (default: [parameters] catalog)."
    )
    var catalog: [String] = []

    /// Returns the catalog; a catalog without sets ends the command.
    func open() throws -> LocalCatalog { try Self.open(self.catalog, self.configuration) }

    /// Returns the catalog at these paths, or the configured one without any; a catalog without sets ends the command.
    static func open(_ named: [String], _ configuration: ConfigurationOptions) throws -> LocalCatalog {
        let paths = try named.isEmpty ? configuration.catalog() : named
        let local = LocalCatalog(paths: paths)
        for source in local.sources where source.count == nil && !named.isEmpty {
            throw CommandFailure(
                .noInput,
                "\(source.path) is neither a folder nor a tar archive that can be read",
                next: "a folder of OBDb's repositories, or of files such as Kia-EV9.json."
            )
        }
        guard !local.catalog.entries.isEmpty else {
            throw CommandFailure(
                .noInput,
                "no signal sets in \(paths.isEmpty ? "[parameters] catalog, which is empty" : paths.joined(separator: ", "))",
                next: "apt-get install ./obd-signals_DATE_all.deb (made by make signals), or --catalog DIR."
            )
        }
        return local
    }
}
