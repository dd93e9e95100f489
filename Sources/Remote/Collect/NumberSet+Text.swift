// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension NumberSet: LosslessStringConvertible {
    /// Reads the form of ``description``; nil if the ranges are damaged, or not ascending and apart.
    package init?(_ description: String) {
        self.init()
        guard !description.isEmpty else { return }
        var next: UInt64?
        for part in description.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let bounds = part.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            guard let first = bounds.first.flatMap(Self.number), let last = bounds.last.flatMap(Self.number),
                bounds.count <= 2, first <= last, next.map({ $0 < first }) ?? true, last < .max
            else { return nil }
            self.append(first...last)
            next = last + 1
        }
    }

    /// The ranges as in `1-5,7`.
    package var description: String {
        self.ranges.map { range in
            range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }
        .joined(separator: ",")
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? {
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return UInt64(Substring(digits))
    }
}
