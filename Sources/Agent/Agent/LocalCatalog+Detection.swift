// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2
import SignalSets

// The models for a detection.
extension LocalCatalog {
    /// Returns the models of these makes with the requests of their sets; a set that cannot be read is left out.
    ///
    /// A model without requests of its own has those of its make. A make without models is a candidate itself.
    ///
    /// - Parameter year: the model year, for which the requests are; nil takes the requests of all years.
    package func search(makes: [String], year: Int?) -> ModelSearch {
        var entries: [SignalCatalog.Entry] = []
        for entry in makes.flatMap(self.catalog.entries(ofMake:)) where !entries.contains(entry) {
            entries.append(entry)
        }
        let models = entries.filter { $0.model != nil }
        let chosen = (models.isEmpty ? entries : models).prefix(ModelDetection.candidateLimit)
        let own = self.read(chosen) { bytes -> (requests: [CustomRequest], hasCommands: Bool)? in
            guard let set = try? SignalSetImport(bytes, year: year) else { return nil }
            let hasCommands = !set.imported.isEmpty || SignalCatalog.counts(of: bytes)?.commands != 0
            return (set.imported.compactMap(\.customRequest), hasCommands)
        }
        let sharing = chosen.filter { own[$0]?.hasCommands == false }
        let shared = self.read(Set(sharing.flatMap(self.catalog.makeSets(of:)))) { bytes -> [CustomRequest]? in
            let imported = (try? SignalSetImport(bytes, year: year))?.imported ?? []
            return imported.isEmpty ? nil : imported.compactMap(\.customRequest)
        }
        let candidates = chosen.compactMap { entry -> ModelCandidate? in
            guard let set = own[entry] else { return nil }
            let requests =
                set.hasCommands
                ? set.requests : self.catalog.makeSets(of: entry).lazy.compactMap { shared[$0] }.first
            return requests.map { ModelCandidate(model: entry.title, requests: $0) }
        }
        return ModelSearch(makes: makes, year: year, candidates: candidates)
    }
}
