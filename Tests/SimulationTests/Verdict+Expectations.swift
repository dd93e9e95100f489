// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

extension Ledger.Verdict {
    /// Nothing is missing that must not be, nothing came that was not so, and it was worth it.
    func expectWhole(atLeast arrived: Int, at location: SourceLocation = #_sourceLocation) {
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
