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
        let chosen = self.candidates(of: makes)
        let requests = self.readFilled(chosen, isEmpty: \.isEmpty) { bytes -> [CustomRequest]? in
            (try? SignalSetImport(bytes, year: year))?.imported.compactMap(\.customRequest)
        }
        let candidates = chosen.compactMap { entry in
            requests[entry].map { ModelCandidate(model: entry.title, set: $0.source.title, requests: $0.value) }
        }
        return ModelSearch(makes: makes, year: year, candidates: candidates)
    }

    /// Returns the reason why a search among these makes has no request, with the near name or the years that there are.
    package func reasonOfEmptySearch(makes: [String], year: Int?) -> String {
        let names = makes.joined(separator: " or ")
        let years = year == nil ? SignalYears() : self.years(ofMakes: makes)
        if let year, !years.isEmpty {
            return "the signal sets of \(names) have no requests for model year \(year), but for: \(years)"
        }
        let near = makes.count == 1 ? makes.first.flatMap(self.catalog.make(like:)) : nil
        return "the catalog has no signal set of \(names)" + (near.map { "; did you mean \($0)?" } ?? "")
    }

    private func years(ofMakes makes: [String]) -> SignalYears {
        let sets = self.readFilled(self.candidates(of: makes), isEmpty: \.isEmpty) { bytes -> SignalYears? in
            (try? SignalSetImport(bytes)).map(SignalYears.init)
        }
        return sets.values.reduce(into: SignalYears()) { $0.formUnion($1.value) }
    }

    private func candidates(of makes: [String]) -> [SignalCatalog.Entry] {
        var entries: [SignalCatalog.Entry] = []
        for entry in makes.flatMap(self.catalog.entries(ofMake:)) where !entries.contains(entry) {
            entries.append(entry)
        }
        let models = entries.filter { $0.model != nil }
        return Array((models.isEmpty ? entries : models).prefix(ModelDetection.candidateLimit))
    }
}
