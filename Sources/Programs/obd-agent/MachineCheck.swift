// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Agent
import Configuration
import Contract
import EventLoop
import Glibc
import Base

/// What `check` looks at on this machine: clock, disk, power supply.
enum MachineCheck {
    static func results(_ configuration: Configuration) -> [CheckResult] {
        [
            Self.clock(.now, trust: configuration.clock.trust),
            Self.disk(configuration.store.directory ?? StateDirectory.own, limit: configuration.store.limit),
            Self.power(.now(in: "/sys"), shutsDown: configuration.power.shutdownAfter != nil),
        ] + [Self.shutdown(configuration.power)].compactMap(\.self)
    }

    static func clock(_ clock: KernelClock, trust: Configuration.Clock.Trust) -> CheckResult {
        if clock.isSynchronised { return CheckResult("clock", .ok, "the kernel says that it is synchronised") }
        if trust == .system {
            return CheckResult("clock", .ok, "not synchronised, and trusted all the same: [clock] trust")
        }
        return CheckResult(
            "clock",
            .warning,
            "nobody keeps it right: what is read gets its time later, and commands that write are refused",
            next: "timedatectl set-ntp true; behind a firewall, allow UDP port 123"
        )
    }

    /// - Parameter limit: how large the database may become, in bytes.
    static func disk(_ directory: String, limit: Int64) -> CheckResult {
        guard TextFile.isDirectory(directory) else {
            // systemd makes it at the first start.
            return CheckResult("disk", .skipped, "\(directory) is not there yet; the service's first start makes it")
        }
        var status = statvfs()
        guard unsafe statvfs(directory, &status) == 0 else {
            return CheckResult("disk", .failed, "\(directory): \(unsafe String(cString: strerror(errno)))")
        }
        let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
        let text = "\(directory): \(free >> 20) MiB free"
        if status.f_flag & UInt(ST_RDONLY) != 0 {
            return CheckResult(
                "disk",
                .failed,
                "\(directory) is read-only",
                next: "remount it, or set [store] directory"
            )
        }
        if free < 16 << 20 {
            return CheckResult("disk", .failed, text, next: "make room: records are kept in memory only on a full disk")
        }
        guard free >= limit else {
            let next = "make room, or lower [store] limit_mib, which is \(limit >> 20)"
            return CheckResult("disk", .warning, "\(text), less than the database may need", next: next)
        }
        return CheckResult("disk", .ok, text)
    }

    /// What the kernel tells of the supply and the processor.
    static func power(_ machine: MachineReport?, shutsDown: Bool) -> CheckResult {
        let temperature = machine?.cpuTemperature.map { "the processor has \($0) °C" }
        func text(_ supply: String) -> String { [supply, temperature].compactMap(\.self).joined(separator: "; ") }
        let strong = "a supply of 5.1 V and 3 A, short thick cables: a weak one damages cards and drops Bluetooth"
        if machine?.underVoltage == true { return CheckResult("power", .warning, text("undervoltage"), next: strong) }
        if machine?.throttlingSinceBoot?.contains(.underVoltage) == true {
            return CheckResult("power", .warning, text("undervoltage since it was started"), next: strong)
        }
        if let slow = machine?.throttling, !slow.isEmpty {
            let reasons = slow.map(\.rawValue).joined(separator: ", ")
            return CheckResult(
                "power",
                .warning,
                text("slowed down: \(reasons)"),
                next: "let it have air, out of the sun"
            )
        }
        if machine?.underVoltage == nil {
            let unknown = text("this machine does not tell whether its supply is strong enough")
            guard shutsDown else { return CheckResult("power", .skipped, unknown) }
            let next = "see that the ignition switches the supply, with hold-up: docs/concepts/power.md"
            return CheckResult("power", .warning, "\(unknown), and it is to be switched off", next: next)
        }
        return CheckResult("power", .ok, text("the supply is strong enough"))
    }

    /// Whether the service may switch the machine off, where it is to.
    ///
    /// - Parameter directories: where polkit's rules are.
    static func shutdown(
        _ power: Configuration.Power,
        in directories: [String] = ["/etc/polkit-1/rules.d", "/usr/share/polkit-1/rules.d"]
    ) -> CheckResult? {
        guard let after = power.shutdownAfter else { return nil }
        let files = directories.map { "\($0)/\(Self.rule)" }
        if let file = files.first(where: { TextFile.bytes(of: $0, limit: 1)?.isEmpty == false }) {
            return CheckResult("shutdown", .ok, "\(Int(after.seconds)) s after parking; allowed by \(file)")
        }
        // Only root and polkit may look into /etc/polkit-1/rules.d.
        return CheckResult(
            "shutdown",
            .warning,
            "polkit's rule \(Self.rule) can't be found: the service may not switch the machine off",
            next: "sudo ln -s /usr/share/obd-agent/polkit/\(Self.rule) /etc/polkit-1/rules.d/; "
                + "see docs/tasks/switch-off-machine.md"
        )
    }

    private static let rule = "50-obd-agent.rules"
}
