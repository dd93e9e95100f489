// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import OBD2
import SignalSets

// The set of a detected model.
extension LocalCatalog {
    /// A mark of the models of these makes, which differs if the catalog has others.
    func mark(of makes: [String]) -> String {
        let titles = makes.flatMap(self.catalog.entries(ofMake:)).map(\.title)
        return FNV1a.shortHash(of: titles.joined(separator: "\n"))
    }

    /// Returns the parameters of a set, each with the interval that the set proposes; nil without such a set.
    ///
    /// A signal that the configuration would refuse is left out.
    func parameters(ofSet title: String, year: Int?) -> [(parameter: CustomParameter, interval: Duration?)]? {
        guard let entry = self.catalog.entries.first(where: { $0.title == title }), let bytes = self.bytes(of: entry),
            let set = try? SignalSetImport(bytes, year: year)
        else { return nil }
        return set.imported.flatMap { signal in
            let source = SourceFile(name: entry.name, bytes: Array(signal.toml(isSelected: true).utf8))
            return (try? Configuration.parameters(of: source)) ?? []
        }
    }
}
