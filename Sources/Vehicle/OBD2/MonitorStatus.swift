// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The MIL, the number of codes and the readiness: PID 01 since the codes were cleared, PID 41 in this driving cycle.
///
/// The identifier F501 of J1979-2 has the same as PID 01, with more monitors. On J1939 the lamp is in DM1, and the
/// readiness in DM5 and DM26.
package struct MonitorStatus: Hashable, Sendable {
    /// Whether the malfunction indicator lamp is commanded on; always false in PID 41.
    package let mil: Bool
    /// The number of confirmed codes: up to 127 in one ECU, more when merged, always 0 in PID 41.
    package let codeCount: Int
    /// The kind of ignition; nil in the identifier F501 and on J1939.
    package let ignition: Ignition?
    /// The monitors that the vehicle has; in PID 41 those that are enabled in this cycle.
    package let supported: Set<Monitor>
    /// The monitors of ``supported`` that are not complete.
    package let incomplete: Set<Monitor>

    /// Creates a status; monitors of `incomplete` that are not in `supported` are dropped.
    package init(
        mil: Bool,
        codeCount: Int,
        ignition: Ignition?,
        supported: Set<Monitor>,
        incomplete: Set<Monitor>
    ) {
        self.mil = mil
        self.codeCount = codeCount
        self.ignition = ignition
        self.supported = supported
        self.incomplete = incomplete.intersection(supported)
    }

    /// Reads the four data bytes of PID 01 or 41, the six of the identifier F501, or the eight of DM5 and DM26, whose
    /// first byte is the one of PID 01 then.
    ///
    /// - Throws: `.wrongLength`.
    package init(data: [UInt8]) throws(DecodingError) {
        guard data.count != Self.readinessLength else {
            self.init(readiness: data)
            return
        }
        guard data.count != MonitorReadiness.length else {
            self.init(head: data[0], try MonitorReadiness(data))
            return
        }
        guard data.count == 4 else { throw .wrongLength(expected: 4...4, actual: data.count) }
        let ignition: Ignition = data[1] & 0x08 == 0 ? .spark : .compression
        let others = Monitor.nonContinuous(ignition)
        self.init(
            mil: data[0] & 0x80 != 0,
            codeCount: Int(data[0] & 0x7F),
            ignition: ignition,
            supported: Self.monitors(Monitor.continuous, data[1]).union(Self.monitors(others, data[2])),
            incomplete: Self.monitors(Monitor.continuous, data[1] >> 4).union(Self.monitors(others, data[3]))
        )
    }

    /// The number of bytes of the identifier F501.
    private static let readinessLength = 1 + Monitor.readinessGroups.count

    /// Reads the six data bytes of the identifier F501: bits 0 to 3 of a byte are supported monitors, bits 4 to 7 those
    /// of them that are incomplete.
    private init(readiness data: [UInt8]) {
        let groups = zip(Monitor.readinessGroups, data.dropFirst())
        self.init(
            mil: data[0] & 0x80 != 0,
            codeCount: Int(data[0] & 0x7F),
            ignition: nil,
            supported: groups.reduce(into: []) { $0.formUnion(Self.monitors($1.0, $1.1)) },
            incomplete: groups.reduce(into: []) { $0.formUnion(Self.monitors($1.0, $1.1 >> 4)) }
        )
    }

    private init(head: UInt8, _ readiness: MonitorReadiness) {
        self.init(
            mil: head & 0x80 != 0,
            codeCount: Int(head & 0x7F),
            ignition: nil,
            supported: readiness.supported,
            incomplete: readiness.incomplete
        )
    }

    /// Returns the status with the monitors of another one, which has no lamp and no count of codes.
    package func with(monitorsOf other: MonitorStatus) -> MonitorStatus {
        MonitorStatus(
            mil: self.mil,
            codeCount: self.codeCount,
            ignition: other.ignition,
            supported: other.supported,
            incomplete: other.incomplete
        )
    }

    /// The data bytes: six without an ignition, otherwise four.
    ///
    /// A count above 127 is sent as 127.
    package var data: [UInt8] {
        let first = (self.mil ? 0x80 : 0) | UInt8(max(0, min(0x7F, self.codeCount)))
        guard let ignition = self.ignition else {
            return [first]
                + Monitor.readinessGroups.map {
                    Self.bits($0, self.supported) | Self.bits($0, self.incomplete) << 4
                }
        }
        let others = Monitor.nonContinuous(ignition)
        return [
            first,
            Self.bits(Monitor.continuous, self.supported) | Self.bits(Monitor.continuous, self.incomplete) << 4
                | (ignition == .compression ? 0x08 : 0),
            Self.bits(others, self.supported),
            Self.bits(others, self.incomplete),
        ]
    }

    /// Every monitor that an engine of this ignition can have, in the order of the bits.
    package var monitors: [(monitor: Monitor, supported: Bool, complete: Bool)] {
        let all =
            self.ignition.map { Monitor.continuous + Monitor.nonContinuous($0).compactMap(\.self) }
            ?? Monitor.readinessGroups.flatMap(\.self)
        // A status merged of ECUs with both kinds of ignition can have monitors of the other kind.
        return (all + Monitor.allCases.filter { self.supported.contains($0) && !all.contains($0) }).map { monitor in
            let supported = self.supported.contains(monitor)
            return (monitor, supported, supported && !self.incomplete.contains(monitor))
        }
    }

    /// Merges the statuses of the ECUs, the engine's first, to that of the vehicle; nil if there are none.
    ///
    /// The counts add up. The MIL is on if one ECU commands it. A monitor is complete if it is complete in every ECU
    /// that supports it. The ignition is that of the first ECU with a non-continuous monitor, because the zeros of a
    /// gearbox would turn a diesel into a spark engine.
    package static func merged(_ statuses: [MonitorStatus]) -> MonitorStatus? {
        guard let first = statuses.first else { return nil }
        let engine = statuses.first { !$0.supported.isSubset(of: Monitor.continuous) } ?? first
        return MonitorStatus(
            mil: statuses.contains(where: \.mil),
            codeCount: statuses.reduce(0) { $0 &+ $1.codeCount },
            ignition: engine.ignition,
            supported: statuses.reduce(into: []) { $0.formUnion($1.supported) },
            incomplete: statuses.reduce(into: []) { $0.formUnion($1.incomplete) }
        )
    }

    private static func monitors(_ order: [Monitor?], _ bits: UInt8) -> Set<Monitor> {
        Set(order.enumerated().filter { bits & 1 << UInt8($0.offset) != 0 }.compactMap(\.element))
    }

    private static func bits(_ order: [Monitor?], _ monitors: Set<Monitor>) -> UInt8 {
        order.enumerated().reduce(0) { bits, entry in
            guard let monitor = entry.element, monitors.contains(monitor) else { return bits }
            return bits | 1 << UInt8(entry.offset)
        }
    }
}
