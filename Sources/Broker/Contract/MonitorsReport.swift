// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The payload of `monitors`: readiness since the codes were cleared, and the results of the tests.
package struct MonitorsReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    package var mil: Bool
    /// The number of confirmed codes of all ECUs together.
    package var codeCount: Int
    /// `spark` or `compression`; left out if no ECU reports it, as in OBD on UDS and on J1939.
    package var ignition: String?
    /// The readiness of each monitor that the vehicle has.
    package var monitors: [String: State]
    /// The readiness of each ECU.
    package var ecus: [String: ECU]
    /// The readiness in one driving cycle, as a command read it last.
    package var cycle: Cycle?
    /// The test results, as a command read them last.
    package var tests: TestsReport?

    package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
        case complete, incomplete
    }

    /// The readiness of one ECU.
    package struct ECU: Encodable, Hashable, Sendable {
        package var mil: Bool
        package var codeCount: Int
        package var ignition: String?
        package var monitors: [String: State]

        package enum CodingKeys: String, CodingKey {
            case mil, ignition, monitors
            case codeCount = "code_count"
        }

        init(_ status: MonitorStatus) {
            self.mil = status.mil
            self.codeCount = status.codeCount
            self.ignition = status.ignition?.rawValue
            self.monitors = MonitorsReport.states(status)
        }
    }

    /// The readiness in one driving cycle of the monitors that are enabled in it.
    package struct Cycle: Encodable, Hashable, Sendable {
        package var time: Timestamp
        package var monitors: [String: State]
        package var ecus: [String: [String: State]]

        /// Merges the ECUs' answers to PID 41; nil if there are none.
        package init?(_ statuses: [String: MonitorStatus], time: Timestamp) {
            guard let merged = MonitorsReport.merged(statuses) else { return nil }
            self.time = time
            self.monitors = MonitorsReport.states(merged)
            self.ecus = statuses.mapValues(MonitorsReport.states)
        }
    }

    package enum CodingKeys: String, CodingKey {
        case v, time, mil, ignition, monitors, ecus, cycle, tests
        case codeCount = "code_count"
    }

    /// Merges the ECUs' answers to PID 01; nil if no ECU has a monitor.
    ///
    /// An answer without monitors has the lamp and the count of codes only, which says nothing about readiness.
    ///
    /// - Parameter statuses: each ECU's answer to PID 01.
    package init?(_ statuses: [String: MonitorStatus], time: Timestamp) {
        guard let status = Self.merged(statuses), !status.supported.isEmpty else { return nil }
        self.time = time
        self.mil = status.mil
        self.codeCount = status.codeCount
        self.ignition = status.ignition?.rawValue
        self.monitors = Self.states(status)
        self.ecus = statuses.mapValues(ECU.init)
    }

    /// Returns the vehicle's status; the ECU with the lowest address counts as the engine's.
    private static func merged(_ statuses: [String: MonitorStatus]) -> MonitorStatus? {
        MonitorStatus.merged(statuses.sorted { $0.key < $1.key }.map(\.value))
    }

    private static func states(_ status: MonitorStatus) -> [String: State] {
        Dictionary(
            status.supported.map { ($0.rawValue, status.incomplete.contains($0) ? .incomplete : .complete) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
