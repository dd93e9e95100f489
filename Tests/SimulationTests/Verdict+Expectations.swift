// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

extension Ledger.Verdict {
    /// Expects that no value is missing or wrong, and that enough values have arrived.
    ///
    /// - Parameters:
    ///   - arrived: the least number of values.
    ///   - mayComeShorter: whether a repeated record may have fewer samples, which is permitted if the disk failed
    ///     before a kill (docs/contract, "Streams").
    func expectWhole(
        atLeast arrived: Int,
        mayComeShorter: Bool = false,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(self.shorter == 0 || mayComeShorter, "\(self)", sourceLocation: location)
        #expect(self.lost.isEmpty, "\(self)", sourceLocation: location)
        #expect(self.mistakes.isEmpty, "\(self)", sourceLocation: location)
        #expect(self.arrived >= arrived, "\(self)", sourceLocation: location)
    }
}

extension Ledger.Verdict: CustomStringConvertible {
    var description: String {
        let counts = "\(self.arrived) of \(self.served) arrived, \(self.repeats) records again"
        return "\(counts); \(self.lost.count) lost: \(self.lost.prefix(5)); \(self.mistakes.count) wrong: "
            + "\(self.mistakes.prefix(5)); events: \(self.events)"
    }
}
