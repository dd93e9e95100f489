// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The scale and the unit of a monitor's test: a unit-and-scaling id of service 06 (SAE J1979, appendix E).
package struct UnitAndScaling: Hashable, Sendable {
    /// The factor of the scale: the value is `(raw + offset) * multiplier / divisor`.
    private let multiplier: Int
    private let divisor: Int
    private let offset: Int
    /// The unit's symbol; nil for a number without a unit.
    package let unit: String?

    init(_ multiplier: Int, _ divisor: Int, offset: Int = 0, _ unit: String?) {
        self.multiplier = multiplier
        self.divisor = divisor
        self.offset = offset
        self.unit = unit
    }

    /// Returns the scale and the unit of `id`; nil if the id is unknown.
    package static func withID(_ id: UInt8) -> UnitAndScaling? { Self.catalogue[id] }

    /// Returns the raw number of two bytes, which are two's complement for ids from 80 on.
    static func raw(_ word: UInt16, id: UInt8) -> Int {
        id < 0x80 ? Int(word) : Int(Int16(bitPattern: word))
    }

    /// Returns the value of a raw number, in the unit.
    func scaled(_ raw: Int) -> Double {
        Double((raw + self.offset) * self.multiplier) / Double(self.divisor)
    }
}
