// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The number of an on-board monitor in service 06 on CAN (SAE J1979, appendix D).
package struct MonitorID: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Whether the id requests a bitmap of the monitors instead of results: 00, 20, 40 … E0.
    package var isBitmap: Bool { self.rawValue.isMultiple(of: 0x20) }

    /// The monitored component, as a phrase; nil for reserved and manufacturers' numbers.
    package var name: String? {
        let id = Int(self.rawValue)
        switch id {
        case 0x01...0x10: return "oxygen sensor \(Self.sensor(id - 0x01))"
        case 0x21...0x24: return "catalyst bank \(id - 0x20)"
        case 0x31...0x34: return "EGR bank \(id - 0x30)"
        case 0x35...0x38: return "VVT bank \(id - 0x34)"
        case 0x39: return "EVAP, cap off or 0.150 in"
        case 0x3A: return "EVAP, 0.090 in"
        case 0x3B: return "EVAP, 0.040 in"
        case 0x3C: return "EVAP, 0.020 in"
        case 0x3D: return "purge flow"
        case 0x41...0x50: return "oxygen sensor heater \(Self.sensor(id - 0x41))"
        case 0x61...0x64: return "heated catalyst bank \(id - 0x60)"
        case 0x71...0x74: return "secondary air \(id - 0x70)"
        case 0x81...0x84: return "fuel system bank \(id - 0x80)"
        case 0x85...0x86: return "boost pressure bank \(id - 0x84)"
        case 0x90...0x91: return "NOx adsorber bank \(id - 0x8F)"
        case 0x98...0x99: return "NOx catalyst bank \(id - 0x97)"
        case 0xA1: return "misfire"
        case 0xA2...0xB1: return "misfire cylinder \(id - 0xA1)"
        case 0xB2...0xB3: return "particulate filter bank \(id - 0xB1)"
        default: return nil
        }
    }

    /// Returns the name of a sensor, with four sensors to a bank: `B1S1` for 0.
    private static func sensor(_ index: Int) -> String { "B\(index / 4 + 1)S\(index % 4 + 1)" }

    package static func < (left: MonitorID, right: MonitorID) -> Bool { left.rawValue < right.rawValue }
}

extension MonitorID: CustomStringConvertible {
    package var description: String { self.rawValue.hexadecimal }
}

/// The tests that services 05 and 06 share (SAE J1979, appendix on test ids).
enum TestID {
    /// Returns the measured quantity of a test, as a phrase; nil for reserved and manufacturers' numbers.
    static func name(_ id: UInt8) -> String? {
        switch id {
        case 0x01: "rich to lean threshold voltage"
        case 0x02: "lean to rich threshold voltage"
        case 0x03: "low voltage for the switch time"
        case 0x04: "high voltage for the switch time"
        case 0x05: "rich to lean switch time"
        case 0x06: "lean to rich switch time"
        case 0x07: "minimum voltage"
        case 0x08: "maximum voltage"
        case 0x09: "time between transitions"
        case 0x0A: "period"
        case 0x0B: "misfires, average of ten driving cycles"
        case 0x0C: "misfires, last or present driving cycle"
        default: nil
        }
    }
}
