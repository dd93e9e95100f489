// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The directory of the files for a diagnosis, which `obd-agent diagnose` collects.
package enum RuntimeDirectory {
    /// The directory of this process: systemd's `RuntimeDirectory=`, or else its `StateDirectory=`; nil without either.
    package static var own: String? { Self.given.first }

    /// The possible directories of an agent that runs or ran as a service.
    package static var candidates: [String] { Self.given + [Self.usual, StateDirectory.usual] }

    /// Returns the possible paths of the socket of an agent that runs.
    ///
    /// An agent that systemd starts has a directory for it. One that a user starts has it beside its database.
    ///
    /// - Parameter store: the directory of the database; nil if it is not known.
    package static func sockets(besides store: String?) -> [String] {
        ([store].compactMap(\.self) + Self.given + [Self.usual]).map { "\($0)/\(KeptFile.socket)" }
    }

    /// The directory of the service.
    private static let usual = "/run/obd-agent"

    private static var given: [String] {
        ["RUNTIME_DIRECTORY", "STATE_DIRECTORY"].compactMap(environmentVariable)
            .compactMap { $0.split(separator: ":").first.map(String.init) }
    }
}

/// The directory of the database, unless the configuration names another one.
package enum StateDirectory {
    /// The directory of an agent that names none.
    static let usual = "/var/lib/obd-agent"

    /// The directory of systemd's `StateDirectory=`, or its usual place.
    package static var own: String {
        let given = environmentVariable("STATE_DIRECTORY")?.split(separator: ":").first
        return given.map(String.init) ?? Self.usual
    }
}

/// The names of the files in a ``RuntimeDirectory``.
package enum KeptFile {
    /// The two segments of the transcript.
    package static let segments = ["transcript.0", "transcript.1"]
    /// The segments that the previous process left.
    package static let segmentsBefore = ["transcript-before.0", "transcript-before.1"]
    /// The probes that were spent on a parked vehicle.
    static let probes = "probes"
    /// The mark that exists while the agent connects to a broker, and after it has died while connecting.
    static let connecting = "connecting"
    /// The socket for programs on the machine, while the agent runs.
    package static let socket = "live.sock"
    /// The last payload of `status`.
    package static let status = "status.json"
    /// The state of each part, by which an upgrade is judged; also read by the package's own script.
    package static let health = "health"
}
