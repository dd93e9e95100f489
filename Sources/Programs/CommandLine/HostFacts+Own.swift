// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Configuration
import EventLoop
import Glibc

extension HostFacts {
    /// The facts of the machine that this process runs on.
    ///
    /// `${machine_id}` is the agent's identity as in `status`, because the machine's own id must stay private.
    package static var own: HostFacts {
        HostFacts(
            machineID: MachineIdentity().agent,
            hostname: TextFile.read("/proc/sys/kernel/hostname"),
            credential: Self.credential
        )
    }

    /// Returns the path of a credential of the service.
    ///
    /// systemd names its directory in the environment. Root, who checks the configuration without systemd, gets the
    /// path from which systemd would load the credential. So does a user who may not look there, because the credential
    /// may exist: only a command that reads it fails.
    private static func credential(_ name: String) -> String? {
        let given = environmentVariable("CREDENTIALS_DIRECTORY").map { ["\($0)/\(name)"] }
        let places =
            given ?? [
                "/run/credentials/obd-agent.service/\(name)", "/etc/credstore/obd-agent.\(name)",
                "/run/credstore/obd-agent.\(name)", "/usr/lib/credstore/obd-agent.\(name)",
            ]
        return places.first { FileStamp(of: $0) != nil } ?? places.last(where: Self.isHidden)
    }

    /// Whether this user may not see whether there is a file.
    private static func isHidden(_ path: String) -> Bool { unsafe access(path, F_OK) != 0 && errno == EACCES }
}
