// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The identity of the machine, and of its present boot.
package struct MachineIdentity: Sendable {
    /// Twelve hexadecimal digits that stay the same for as long as the machine's id does.
    package let agent: String
    /// The kernel's id of this boot.
    package let boot: String

    package init(agent: String, boot: String) {
        self.agent = agent
        self.boot = boot
    }

    /// Reads `/etc/machine-id`, which must not be shown to others as it is (machine-id(5)), so it is hashed.
    package init() {
        let machine = TextFile.read("/etc/machine-id") ?? TextFile.read("/etc/hostname") ?? "unknown"
        self.agent = FNV1a.shortHash(of: "obd-agent " + machine)
        self.boot = TextFile.read("/proc/sys/kernel/random/boot_id") ?? "unknown"
    }

    /// Another machine that there is only in this process.
    package func simulated(_ number: Int) -> MachineIdentity {
        MachineIdentity(
            agent: FNV1a.shortHash(of: "obd-agent \(self.agent) simulates \(number)"),
            boot: self.boot
        )
    }
}
