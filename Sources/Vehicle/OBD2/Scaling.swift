// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The full scales of one ECU's values, which the ECU reports in PIDs 4F and 50 (SAE J1979-DA).
///
/// A reported maximum of 0 stands for the standard scale.
package struct Scaling: Hashable, Sendable {
    /// The PIDs whose data are maxima.
    package static let pids: [PID] = [0x4F, 0x50]

    /// The scales of an ECU that reports no maximum.
    package static var standard: Scaling { Scaling() }

    /// A quantity whose full scale an ECU can set.
    enum Quantity: UInt8, CaseIterable, Sendable {
        case equivalenceRatio
        /// The voltage of wide-range oxygen sensors, PIDs 24 to 2B.
        case oxygenSensorVoltage
        case oxygenSensorCurrent
        case manifoldPressure
        case airFlow

        fileprivate var pid: PID { self == .airFlow ? 0x50 : 0x4F }

        /// The index of the maximum in the data of its PID.
        fileprivate var byte: Int { self == .airFlow ? 0 : Int(self.rawValue) }

        /// The value of one step of the maximum, in the unit of the quantity.
        private var step: Int {
            switch self {
            case .equivalenceRatio, .oxygenSensorVoltage, .oxygenSensorCurrent: 1
            case .manifoldPressure, .airFlow: 10
            }
        }

        /// The raw number of the value 0, and the number of steps from there to the maximum.
        private var scale: (zero: Int, steps: Int) {
            switch self {
            case .equivalenceRatio, .oxygenSensorVoltage, .airFlow: (0, 65535)
            case .oxygenSensorCurrent: (32768, 32768)
            case .manifoldPressure: (0, 255)
            }
        }

        /// Returns the value of a raw number.
        func value(of raw: Int, maximum: UInt8) -> Double {
            let (zero, steps) = self.scale
            return Double((raw - zero) * Int(maximum) * self.step) / Double(steps)
        }

        /// Returns the raw number of a value, rounded and not limited to the bits.
        func raw(of value: Double, maximum: UInt8) -> Double {
            let (zero, steps) = self.scale
            return (value * Double(steps) / Double(Int(maximum) * self.step)).rounded() + Double(zero)
        }
    }

    /// The maxima, one byte for each quantity, the first one in the lowest byte.
    private var maxima: UInt64 = 0
    /// The quantities whose maximum is not known, a bit for each.
    private var unknown: UInt8 = 0

    private init() {}

    /// Creates the scales of an ECU with these PIDs, from the data of those of PIDs 4F and 50 that it has answered.
    ///
    /// - Parameters:
    ///   - isComplete: whether the set has all PIDs up to 60; without them it is not known whether 4F and 50 are there.
    ///   - reported: the data of PIDs 4F and 50.
    package init(of supported: SupportedPIDs, isComplete: Bool, reported: [PID: [UInt8]]) {
        for quantity in Quantity.allCases {
            if let data = reported[quantity.pid], quantity.byte < data.count {
                self.maxima |= UInt64(data[quantity.byte]) << (8 * UInt64(quantity.rawValue))
            } else if !isComplete || supported.contains(quantity.pid) {
                self.unknown |= 1 << quantity.rawValue
            }
        }
    }

    /// Returns the maximum of a quantity, 0 for the standard scale; nil if the ECU has not reported it yet.
    func maximum(of quantity: Quantity) -> UInt8? {
        guard self.unknown & 1 << quantity.rawValue == 0 else { return nil }
        return UInt8(truncatingIfNeeded: self.maxima >> (8 * UInt64(quantity.rawValue)))
    }
}
