// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import SignalSets

// The sets of makes, which stand in for the empty ones of their models.
extension LocalCatalog {
    /// Returns what `transform` makes of the set of each entry, and the entry that the set is of.
    ///
    /// A model whose set has no requests has the first set of its make that has any. A set that cannot be read, and a
    /// model without requests whose make has none either, are left out.
    ///
    /// - Parameter isEmpty: whether a value may be that of a set without requests.
    package func readFilled<Value>(
        _ entries: some Sequence<SignalCatalog.Entry>,
        isEmpty: (Value) -> Bool = { _ in true },
        _ transform: ([UInt8]) -> Value?
    ) -> [SignalCatalog.Entry: (source: SignalCatalog.Entry, value: Value)] {
        let entries = Array(entries)
        /// Returns nil in the second place for a set without requests.
        func filled(_ bytes: [UInt8]) -> Value?? {
            guard let value = transform(bytes) else { return nil }
            let hasRequests = !isEmpty(value) || SignalCatalog.counts(of: bytes)?.commands != 0
            return .some(hasRequests ? value : nil)
        }
        let own = self.read(entries, filled)
        let lacking = entries.filter { own[$0].map { $0 == nil } ?? false }
        let shared = self.read(Set(lacking.flatMap(self.catalog.makeSets(of:))), filled)
        var found: [SignalCatalog.Entry: (source: SignalCatalog.Entry, value: Value)] = [:]
        for entry in entries {
            guard let set = own[entry] else { continue }
            if let set {
                found[entry] = (entry, set)
            } else if let source = self.catalog.makeSets(of: entry).first(where: { shared[$0].flatMap(\.self) != nil }),
                let set = shared[source].flatMap(\.self)
            {
                found[entry] = (source, set)
            }
        }
        return found
    }
}
