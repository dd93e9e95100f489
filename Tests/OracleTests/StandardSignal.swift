// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// A signal of service 01 in the set of SAE J1979: its bits, by which the field of the catalogue is found.
struct StandardSignal {
    let pid: UInt8
    /// The signal's first bit; bit 0 is the highest bit of the first byte.
    let firstBit: Int
    let length: Int
    /// The set's unit.
    let unit: String?
    /// The limits to which the recorded values are clamped.
    let limits: ClosedRange<Double>?
    /// The names of the states, by number.
    let states: [Int: Set<String>]

    /// Returns the signals by their identifier.
    static func all() throws -> [String: StandardSignal] {
        var signals: [String: StandardSignal] = [:]
        for command in JSON(payload: try Recordings.bytes("obdb/sets/SAEJ1979.json"))["commands"].elements {
            guard let pid = command["cmd"]["01"].string.flatMap({ UInt8($0, radix: 16) }) else { continue }
            for signal in command["signals"].elements {
                if let id = signal["id"].string { signals[id] = StandardSignal(pid, signal["fmt"]) }
            }
        }
        return signals
    }

    private init(_ pid: UInt8, _ format: JSON) {
        self.pid = pid
        self.firstBit = format["bix"].count.map(Int.init) ?? 0
        self.length = format["len"].count.map(Int.init) ?? 0
        self.unit = format["unit"].string
        let least = format["min"].double ?? 0
        self.limits = format["max"].double.flatMap { $0 >= least ? least...$0 : nil }
        self.states = VehicleSignals.states(of: format)
    }

    /// Whether a field of the catalogue has the signal's bits.
    func hasBits(_ field: Field) -> Bool {
        field.byte * 8 + 7 - field.msb == self.firstBit && field.bitLength == self.length
    }

    /// Returns the fields whose support bit the signal is; nil if there are none.
    func supported(in fields: [Field]) -> [Field]? {
        guard self.firstBit < 8, self.length == 1 else { return nil }
        let supported = fields.filter { $0.supportBit == 7 - self.firstBit }
        return supported.isEmpty ? nil : supported
    }

    /// Judges the value of the field with the signal's bits.
    func verdict(_ value: DecodedValue?, _ field: Field, _ expected: JSON) -> Verdict {
        guard let value else { return .wrong }
        let factor = self.unit == "kilopascal" && field.symbol == "Pa" ? 1000.0 : 1
        if let number = expected.double, case .number(let decoded) = value {
            if Comparison.isClose(decoded, number * factor) { return .equal }
            guard let limits = self.limits, number == limits.lowerBound || number == limits.upperBound,
                !limits.contains(decoded / factor)
            else { return .wrong }
            return .known("clamped to a limit of the set, which is narrower than the standard's")
        }
        let isEqual = Comparison.isEqual(value, expected) { code, name in
            self.states[code]?.contains(name) ?? false
        }
        return isEqual ? .equal : .wrong
    }

    /// A bit of PID 01 or 41 that tells about a monitor.
    struct MonitorBit {
        /// The name of the monitor in our payloads.
        let name: String
        /// Whether the bit tells that the vehicle has the monitor; otherwise that it is not complete.
        let isSupport: Bool
        /// Whether the monitor exists with every kind of ignition, at the same bit.
        let isContinuous: Bool
    }

    /// The monitors of byte B, bit 0 first (SAE J1979, table B.2).
    private static let continuous = ["misfire", "fuel", "components"]
    /// The monitors of spark ignition in bytes C and D, bit 0 first.
    private static let others = [
        "catalyst", "heated_catalyst", "evap", "secondary_air", "gpf_or_ac", "o2_sensor", "o2_heater", "egr_vvt",
    ]

    /// Returns the monitor that a bit tells about; bit 0 is the highest bit of byte A.
    static func monitor(at bit: Int) -> MonitorBit? {
        let index = 7 - bit % 8
        switch bit / 8 {
        case 1 where index < 3: return MonitorBit(name: Self.continuous[index], isSupport: true, isContinuous: true)
        case 1 where 4...6 ~= index:
            return MonitorBit(name: Self.continuous[index - 4], isSupport: false, isContinuous: true)
        case 2, 3: return MonitorBit(name: Self.others[index], isSupport: bit / 8 == 2, isContinuous: index == 7)
        default: return nil
        }
    }
}
