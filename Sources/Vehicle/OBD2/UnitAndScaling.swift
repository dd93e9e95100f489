// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What the numbers of a monitor's test mean: a row of service 06's unit-and-scaling ids (SAE J1979, appendix E).
package struct UnitAndScaling: Hashable, Sendable {
    /// The value is the raw number plus ``offset``, times `multiplier`, divided by `divisor`.
    private let multiplier: Int
    private let divisor: Int
    private let offset: Int
    /// The unit's symbol; nil for a bare number.
    package let unit: String?

    init(_ multiplier: Int, _ divisor: Int, offset: Int = 0, _ unit: String?) {
        self.multiplier = multiplier
        self.divisor = divisor
        self.offset = offset
        self.unit = unit
    }

    /// The row of `id`; nil if nobody has told us of it.
    package static func withID(_ id: UInt8) -> UnitAndScaling? { Self.catalogue[id] }

    /// The raw number of two bytes: two's complement for ids from 80 on.
    static func raw(_ word: UInt16, id: UInt8) -> Int {
        id < 0x80 ? Int(word) : Int(Int16(bitPattern: word))
    }

    /// The value of a raw number, in the unit.
    func scaled(_ raw: Int) -> Double {
        Double((raw + self.offset) * self.multiplier) / Double(self.divisor)
    }
}
