// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop

/// The notice that the package's own script leaves when it has gone back to the version before.
struct UpgradeRollback: Hashable, Sendable {
    /// The directory of the script, which only root may write to.
    static let directory = "/var/lib/obd-agent-upgrade"
    private static let name = "rolled-back"

    /// The identity of the rollback: it is told once.
    var id: String
    /// The version that runs again.
    var version: String
    /// The version that did not do what this one did.
    var failed: String
    /// The reason, in words.
    var reason: String

    /// Reads the notice of a directory; nil if there is none.
    static func left(in directory: String) -> UpgradeRollback? {
        TextFile.bytes(of: Self.name, in: directory, limit: 4096)
            .flatMap { String(validating: $0, as: UTF8.self) }
            .flatMap { UpgradeRollback($0) }
    }

    /// Reads the lines of a notice; nil if one is missing.
    init?(_ text: String) {
        var values: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let value = line[line.index(after: equals)...].prefix(200)
            if !value.isEmpty { values[line[..<equals]] = String(value) }
        }
        guard let id = values["id"], let version = values["version"], let failed = values["failed"],
            let reason = values["reason"]
        else { return nil }
        (self.id, self.version, self.failed, self.reason) = (id, version, failed, reason)
    }

    /// The event that tells it.
    var event: AgentEvent {
        var event = AgentEvent(.upgradeRolledBack)
        event.version = self.version
        event.failedVersion = self.failed
        event.reason = self.reason
        return event
    }

    /// The bytes by which it is known that the event was recorded.
    var mark: [UInt8] { Array(JSON.object(["id": .string(self.id)]).text.utf8) }
}
