// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The payload of `monitors`: readiness since the codes were cleared, and what the tests came to.
package struct MonitorsReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    package var mil: Bool
    /// Confirmed codes, all ECUs together.
    package var codeCount: Int
    /// `spark` or `compression`.
    package var ignition: String
    /// The monitors that the vehicle has, and whether each is complete.
    package var monitors: [String: State]
    /// The same for each ECU.
    package var ecus: [String: ECU]
    /// Readiness in the driving cycle in which somebody asked last.
    package var cycle: Cycle?
    /// What the tests came to when somebody asked last.
    package var tests: TestsReport?

    package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
        case complete, incomplete
    }

    /// Readiness of one ECU.
    package struct ECU: Encodable, Hashable, Sendable {
        package var mil: Bool
        package var codeCount: Int
        package var ignition: String
        package var monitors: [String: State]

        package enum CodingKeys: String, CodingKey {
            case mil, ignition, monitors
            case codeCount = "code_count"
        }

        init(_ status: MonitorStatus) {
            self.mil = status.mil
            self.codeCount = status.codeCount
            self.ignition = status.ignition.rawValue
            self.monitors = MonitorsReport.states(status)
        }
    }

    /// Readiness in one driving cycle, of the monitors that are enabled in it.
    package struct Cycle: Encodable, Hashable, Sendable {
        package var time: Timestamp
        package var monitors: [String: State]
        package var ecus: [String: [String: State]]

        /// Nil where no ECU tells.
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

    /// Nil where no ECU has a monitor: who tells of the lamp and the count alone says nothing of readiness.
    ///
    /// - Parameter statuses: each ECU's answer to PID 01.
    package init?(_ statuses: [String: MonitorStatus], time: Timestamp) {
        guard let status = Self.merged(statuses), !status.supported.isEmpty else { return nil }
        self.time = time
        self.mil = status.mil
        self.codeCount = status.codeCount
        self.ignition = status.ignition.rawValue
        self.monitors = Self.states(status)
        self.ecus = statuses.mapValues(ECU.init)
    }

    /// The vehicle's status; the ECU with the lowest address is the engine's.
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
