// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Where the agent keeps what helps to find a mistake, and where `obd-agent diagnose` looks for it.
package enum RuntimeDirectory {
    /// The directory of this process: systemd's `RuntimeDirectory=`, or else its `StateDirectory=`; nil without either.
    package static var own: String? { Self.given.first }

    /// Where the directory of an agent may be that runs or ran as a service.
    package static var candidates: [String] { Self.given + ["/run/obd-agent", "/var/lib/obd-agent"] }

    private static var given: [String] {
        let environment = ProcessInfo.processInfo.environment
        return ["RUNTIME_DIRECTORY", "STATE_DIRECTORY"].compactMap { environment[$0] }
            .compactMap { $0.split(separator: ":").first.map(String.init) }
    }
}

/// Where the agent keeps what must survive, unless the configuration says otherwise.
package enum StateDirectory {
    /// systemd's `StateDirectory=`, or where it would be.
    package static var own: String {
        let given = ProcessInfo.processInfo.environment["STATE_DIRECTORY"]?.split(separator: ":").first
        return given.map(String.init) ?? "/var/lib/obd-agent"
    }
}

/// The names of the files in a ``RuntimeDirectory``.
package enum KeptFile {
    /// The two segments of the transcript, and what the process before this one left of it.
    package static let segments = ["transcript.0", "transcript.1"]
    package static let segmentsBefore = ["transcript-before.0", "transcript-before.1"]
    /// The probes that were spent on a parked vehicle.
    static let probes = "probes"
    /// There while an agent runs, and where one died.
    static let running = "running"
    /// The last payload of `status`.
    package static let status = "status.json"
}
