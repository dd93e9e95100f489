// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The payload of `monitors`: readiness since the codes were cleared.
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

    package enum State: String, Encodable, Hashable, Sendable {
        case complete, incomplete
    }

    package enum CodingKeys: String, CodingKey {
        case v, time, mil, ignition, monitors
        case codeCount = "code_count"
    }

    package init(_ status: MonitorStatus, time: Timestamp) {
        self.time = time
        self.mil = status.mil
        self.codeCount = status.codeCount
        self.ignition = status.ignition.rawValue
        self.monitors = Dictionary(
            status.supported.map { ($0.rawValue, status.incomplete.contains($0) ? .incomplete : .complete) },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
