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
        var makeSets: [String: SignalSetImport] = [:]
        let candidates = (models.isEmpty ? entries : models).prefix(ModelDetection.candidateLimit).compactMap { entry in
            self.bytes(of: entry).flatMap { bytes -> ModelCandidate? in
                guard let set = try? SignalSetImport(bytes, year: year) else { return nil }
                guard set.imported.isEmpty, SignalCatalog.counts(of: bytes)?.commands == 0 else {
                    return ModelCandidate(model: entry.title, set)
                }
                makeSets[entry.make] = makeSets[entry.make] ?? self.makeSet(of: entry, year)
                return makeSets[entry.make].map { ModelCandidate(model: entry.title, $0) }
            }
        }
        return ModelSearch(makes: makes, year: year, candidates: candidates)
    }

    /// Returns the signals of the entry's make; nil if there is no set.
    private func makeSet(of entry: SignalCatalog.Entry, _ year: Int?) -> SignalSetImport? {
        self.catalog.makeSets(of: entry).lazy
            .compactMap { self.bytes(of: $0).flatMap { try? SignalSetImport($0, year: year) } }
            .first { !$0.imported.isEmpty }
    }
}

extension ModelCandidate {
    fileprivate init(model: String, _ set: SignalSetImport) {
        self.init(model: model, requests: set.imported.compactMap(\.customRequest))
    }
}
