// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The in-use performance of one ECU's monitors: DM20, monitor performance ratio (SAE J1939-73, 5.7.20).
package struct PerformanceMessage: Hashable, Sendable {
    /// The number of ignition cycles; nil if the ECU does not report it.
    package let ignitionCycles: Int?
    /// The number of times that the vehicle met the general conditions for monitoring; nil if it is not reported.
    package let monitoringConditions: Int?
    package let ratios: [Ratio]

    /// The counters of a monitor; nil for one that the ECU does not report.
    package struct Ratio: Hashable, Sendable {
        /// The number of the monitor.
        package let monitor: SPN
        package let completions: Int?
        package let conditions: Int?

        package init(monitor: SPN, completions: Int?, conditions: Int?) {
            self.monitor = monitor
            self.completions = completions
            self.conditions = conditions
        }
    }

    package init(ignitionCycles: Int?, monitoringConditions: Int?, ratios: [Ratio]) {
        self.ignitionCycles = ignitionCycles
        self.monitoringConditions = monitoringConditions
        self.ratios = ratios
    }

    /// Reads the data: two counters, and for each monitor its number and two counters.
    ///
    /// - Throws: `.wrongLength`.
    package init(_ data: [UInt8]) throws(DecodingError) {
        // A message without ratios fills its frame.
        let body = data.count == 8 ? [] : Array(data.dropFirst(4))
        guard data.count >= 4, body.count.isMultiple(of: Self.size) else {
            let whole = 4 + max(0, data.count - 4) / Self.size * Self.size
            throw .wrongLength(expected: whole...whole, actual: data.count)
        }
        self.init(
            ignitionCycles: GroupCount.value(data[0..<2]),
            monitoringConditions: GroupCount.value(data[2..<4]),
            ratios: stride(from: 0, to: body.count, by: Self.size).map { start in
                // The upper five bits of the third byte are reserved.
                let spn = body[start..<start + 3].reversed().reduce(0) { $0 << 8 | UInt32($1) }
                return Ratio(
                    monitor: SPN(rawValue: spn),
                    completions: GroupCount.value(body[start + 3..<start + 5]),
                    conditions: GroupCount.value(body[start + 5..<start + 7])
                )
            }
        )
    }

    private static let size = 7

    /// The data of the message.
    package var data: [UInt8] {
        let head = GroupCount.bytes(self.ignitionCycles) + GroupCount.bytes(self.monitoringConditions)
        guard !self.ratios.isEmpty else { return head + [0xFF, 0xFF, 0xFF, 0xFF] }
        return head
            + self.ratios.flatMap { ratio -> [UInt8] in
                let spn = ratio.monitor.rawValue
                return [
                    UInt8(truncatingIfNeeded: spn), UInt8(truncatingIfNeeded: spn >> 8),
                    0xF8 | UInt8(truncatingIfNeeded: spn >> 16),
                ] + GroupCount.bytes(ratio.completions) + GroupCount.bytes(ratio.conditions)
            }
    }

    /// The counters by the names of SAE J1979, InfoType 0B; nil if the ECU has no monitor of a diesel engine.
    ///
    /// As in SAE J1979, the counters of a monitor that the ECU does not have are 0. A monitor that SAE J1979 does not
    /// name is left out. Of several monitors with one name, the one counts that has run least often in its conditions.
    package var compression: InUsePerformance? {
        let named = self.ratios.filter { Self.monitors[$0.monitor] != nil }
        guard named.contains(where: { !Self.shared.contains($0.monitor) }) else { return nil }
        var ratios: [String: InUsePerformance.Ratio] = [:]
        for ratio in named {
            guard let name = Self.monitors[ratio.monitor], let completions = ratio.completions,
                let conditions = ratio.conditions
            else { continue }
            let new = InUsePerformance.Ratio(monitor: name, completions: completions, conditions: conditions)
            let isLess = (new.value ?? .infinity) < (ratios[name]?.value ?? .infinity)
            if ratios[name] == nil || isLess { ratios[name] = new }
        }
        return InUsePerformance(
            ignition: .compression,
            monitoringConditions: self.monitoringConditions ?? 0,
            ignitionCycles: self.ignitionCycles ?? 0,
            ratios: InUsePerformance.monitors(.compression).map {
                ratios[$0] ?? InUsePerformance.Ratio(monitor: $0, completions: 0, conditions: 0)
            }
        )
    }

    /// The monitors that SAE J1939-84 expects of diesel engines, by the names of SAE J1979.
    private static let monitors: [SPN: String] = [
        3055: "fuel", 3058: "egr_vvt", 3064: "pm_filter", 4364: "nox_catalyst", 4792: "nox_catalyst",
        5308: "nox_adsorber", 5318: "exhaust_gas_sensor", 5321: "boost_pressure", 5322: "nmhc_catalyst",
    ]
    /// The monitors that engines with spark ignition have too.
    private static let shared: Set<SPN> = [3055, 3058]
}
