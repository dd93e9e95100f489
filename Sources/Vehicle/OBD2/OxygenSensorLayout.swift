// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The assignment of PIDs to oxygen sensors, which an ECU shows by supporting PID 13 or PID 1D (SAE J1979).
///
/// The catalogue names the sensors as PID 13 orders them. With PID 1D the PIDs 14 to 1B, 24 to 2B and 34 to 3B belong to
/// other sensors, so a sensor has its name in the catalogue and is requested by another PID.
package enum OxygenSensorLayout: Hashable, Sendable {
    /// Two banks of four sensors: PID 13.
    case twoBanks
    /// Four banks of two sensors: PID 1D.
    case fourBanks

    /// Creates the layout of an ECU with these PIDs.
    package init(_ supported: SupportedPIDs) {
        self = supported.contains(0x1D) && !supported.contains(0x13) ? .fourBanks : .twoBanks
    }

    /// The PIDs of the first sensor, which the other seven follow.
    private static let families: [UInt8] = [0x14, 0x24, 0x34]

    /// The place in the catalogue of each sensor in the order of PID 1D.
    ///
    /// Banks 3 and 4 take the places of the sensors that PID 1D does not have: B1S3, B1S4, B2S3 and B2S4.
    private static let places: [UInt8] = [0, 1, 4, 5, 2, 3, 6, 7]

    /// The sensors of banks 3 and 4, with their places in the catalogue.
    static let sensorsOfBanks3And4: [(place: UInt8, sensor: String)] = [
        (2, "B3S1"), (3, "B3S2"), (6, "B4S1"), (7, "B4S2"),
    ]

    /// Whether the PID belongs to one oxygen sensor.
    static func hasSensor(_ pid: PID) -> Bool { Self.families.contains { $0...$0 + 7 ~= pid.rawValue } }

    /// Returns the PID that changes places with `pid`.
    ///
    /// The result is the PID to request for a parameter of the catalogue, and the place in the catalogue of a PID of an
    /// ECU.
    package func counterpart(of pid: PID) -> PID {
        guard self == .fourBanks, let first = Self.families.first(where: { $0...$0 + 7 ~= pid.rawValue }) else {
            return pid
        }
        return PID(rawValue: first + Self.places[Int(pid.rawValue - first)])
    }
}
