// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The model years for which signals can be polled, in words: `2015 to 2019, 2021 and later`.
package struct SignalYears: Hashable, Sendable, CustomStringConvertible {
    private var years: Set<Int> = []

    package init() {}

    /// Takes the years of the imported signals.
    package init(of set: SignalSetImport) {
        let commands = Set(set.imported.map(\.command))
        self.years = Set(ModelYear.range.filter { year in commands.contains { $0.applies(toYear: year) } })
    }

    package var isEmpty: Bool { self.years.isEmpty }

    package mutating func formUnion(_ other: Self) { self.years.formUnion(other.years) }

    package var description: String {
        var spans: [ClosedRange<Int>] = []
        for year in self.years.sorted() {
            if let last = spans.last, last.upperBound == year - 1 {
                spans[spans.count - 1] = last.lowerBound...year
            } else {
                spans.append(year...year)
            }
        }
        return spans.map(Self.text).joined(separator: ", ")
    }

    private static func text(_ span: ClosedRange<Int>) -> String {
        switch (span.lowerBound == ModelYear.range.lowerBound, span.upperBound == ModelYear.range.upperBound) {
        case (true, true): "all"
        case (true, false): "up to \(span.upperBound)"
        case (false, true): "\(span.lowerBound) and later"
        case (false, false): span.count == 1 ? "\(span.lowerBound)" : "\(span.lowerBound) to \(span.upperBound)"
        }
    }
}
