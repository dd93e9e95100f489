// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Configuration
import EventLoop
import FoundationEssentials

extension HostFacts {
    /// Those of the machine that this process runs on.
    ///
    /// `${machine_id}` is the agent's identity, as `status` tells it: the machine's own id must not be shown to others.
    package static var own: HostFacts {
        HostFacts(
            machineID: MachineIdentity().agent,
            hostname: TextFile.read("/proc/sys/kernel/hostname"),
            credential: Self.credential
        )
    }

    /// Where systemd has put a credential for this service; for root, who tries the configuration without systemd, also
    /// where the service would get it from.
    private static func credential(_ name: String) -> String? {
        let given = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"].map { ["\($0)/\(name)"] }
        let places =
            given ?? [
                "/run/credentials/obd-agent.service/\(name)", "/etc/credstore/obd-agent.\(name)",
                "/run/credstore/obd-agent.\(name)", "/usr/lib/credstore/obd-agent.\(name)",
            ]
        return places.first { FileStamp(of: $0) != nil }
    }
}
