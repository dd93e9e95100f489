// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The readiness of an ECU's monitors in the last five bytes of DM5 and DM26 (SAE J1939-73, 5.7.5 and 5.7.26).
///
/// DM5 tells about the time since the codes were cleared, as PID 01 does, and DM26 about this trip, as PID 41 does.
package struct MonitorReadiness: Hashable, Sendable {
    /// The monitors that the ECU has; in DM26 those that are enabled in this trip.
    package let supported: Set<Monitor>
    /// The monitors of ``supported`` that are not complete.
    package let incomplete: Set<Monitor>

    package init(supported: Set<Monitor>, incomplete: Set<Monitor>) {
        self.supported = supported
        self.incomplete = incomplete.intersection(supported)
    }

    /// Reads the eight data bytes of DM5 or DM26.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard data.count == Self.length else {
            throw .wrongLength(expected: Self.length...Self.length, actual: data.count)
        }
        func monitors(_ order: [Monitor], _ bits: UInt8) -> [Monitor] {
            order.enumerated().filter { bits & 1 << UInt8($0.offset) != 0 }.map(\.element)
        }
        func all(_ continuous: UInt8, _ low: UInt8, _ high: UInt8) -> Set<Monitor> {
            Set(monitors(Monitor.continuous, continuous) + monitors(Self.low, low) + monitors(Self.high, high))
        }
        self.init(supported: all(data[3], data[4], data[5]), incomplete: all(data[3] >> 4, data[6], data[7]))
    }

    /// The last five data bytes of a message.
    package var data: [UInt8] {
        func bits(_ order: [Monitor], _ monitors: Set<Monitor>) -> UInt8 {
            order.enumerated().reduce(0) { $0 | (monitors.contains($1.element) ? 1 << UInt8($1.offset) : 0) }
        }
        let continuous = bits(Monitor.continuous, self.supported) | bits(Monitor.continuous, self.incomplete) << 4
        return [continuous]
            + [self.supported, self.incomplete].flatMap { [bits(Self.low, $0), bits(Self.high, $0)] }
    }

    /// The number of data bytes of DM5 and DM26.
    static let length = 8

    /// The other monitors of the two messages, bit 0 first.
    private static let low: [Monitor] = [
        .catalyst, .heatedCatalyst, .evaporativeSystem, .secondaryAir, .gasolineParticulateFilter, .exhaustGasSensor,
        .oxygenSensorHeater, .exhaustGasRecirculation,
    ]
    private static let high: [Monitor] = [
        .coldStart, .boostPressure, .particulateFilter, .noxAftertreatment, .nmhcCatalyst,
    ]
}
