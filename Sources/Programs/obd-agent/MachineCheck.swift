// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration
import Contract
import EventLoop
import Glibc

/// Checks the clock, the disk, the power supply and the shutdown of this machine.
enum MachineCheck {
    /// Whether systemd runs this machine (sd_booted(3)).
    static var hasSystemd: Bool { TextFile.isDirectory("/run/systemd/system") }

    static func results(_ configuration: Configuration) -> [CheckResult] {
        [
            Self.clock(.now, trust: configuration.clock.trust),
            Self.disk(configuration.store.directory ?? StateDirectory.own, limit: configuration.store.limit),
            Self.power(.now(in: "/sys"), shutsDown: configuration.power.shutdownAfter != nil),
        ] + [Self.shutdown(configuration.power)].compactMap(\.self)
    }

    static func clock(_ clock: KernelClock, trust: Configuration.Clock.Trust) -> CheckResult {
        if clock.isSynchronised { return CheckResult("clock", .ok, "synchronized") }
        if trust == .system {
            return CheckResult("clock", .ok, "not synchronized, but trusted: [clock] trust = \"system\"")
        }
        if trust == .gps {
            return CheckResult(
                "clock",
                .warning,
                "not synchronized: the running agent trusts it once it agrees with the satellites",
                next: "let chrony set it from gpsd, see docs/tasks/trust-the-clock.md"
            )
        }
        return CheckResult(
            "clock",
            .warning,
            "not synchronized: samples get their time later, and only commands of the role observer run",
            next: "timedatectl set-ntp true. Behind a firewall: allow UDP port 123. Without a network: \(Self.trusting)"
        )
    }

    /// The key that trusts any clock, and what that means.
    static let trusting = """
        [clock] trust = "system". If the time is wrong then, so are the times of samples, and a command that has expired \
        may run: docs/tasks/trust-the-clock.md
        """

    /// - Parameter limit: the largest size of the database, in bytes.
    static func disk(_ directory: String, limit: Int64, hasSystemd: Bool = Self.hasSystemd) -> CheckResult {
        guard TextFile.isDirectory(directory) else { return Self.missing(directory, hasSystemd: hasSystemd) }
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
            return CheckResult("disk", .failed, text, next: "make room: on a full disk records are kept in memory only")
        }
        guard free >= limit else {
            let next = "make room, or lower [store] limit_mib, which is \(limit >> 20)"
            return CheckResult("disk", .warning, "\(text), less than the database may need", next: next)
        }
        return CheckResult("disk", .ok, text)
    }

    /// Returns the result for a directory that does not exist: systemd makes its own one, and the agent any other.
    private static func missing(_ directory: String, hasSystemd: Bool) -> CheckResult {
        guard directory != StateDirectory.own else {
            guard hasSystemd else {
                return CheckResult(
                    "disk",
                    .warning,
                    "\(directory) does not exist, and without systemd nothing makes it: records stay in memory only",
                    next: "sudo install -d -m 700 \(directory), with -o USER if the agent runs as another user"
                )
            }
            return CheckResult("disk", .skipped, "\(directory) does not exist yet; the service creates it")
        }
        let parent = Directory.existingParent(of: directory)
        let isFree = unsafe access(directory, F_OK) != 0 && TextFile.isDirectory(parent)
        guard isFree, unsafe access(parent, W_OK | X_OK) == 0 else {
            return CheckResult(
                "disk",
                .warning,
                "\(directory): no directory, and this user cannot make it in \(parent), so records stay in memory only",
                next: "sudo install -d -m 700 -o obd-agent \(directory), or set [store] directory"
            )
        }
        let text = "\(directory) does not exist yet; the agent makes it if its user may write to \(parent)"
        return CheckResult("disk", .skipped, text)
    }

    /// Checks the supply and the processor, as the kernel reports them.
    static func power(_ machine: MachineReport?, shutsDown: Bool) -> CheckResult {
        let temperature = machine?.cpuTemperature.map { "the processor has \($0) °C" }
        func text(_ supply: String) -> String { [supply, temperature].compactMap(\.self).joined(separator: "; ") }
        let strong = "use 5.1 V, 3 A and short thick cables: a weak supply damages cards and drops Bluetooth"
        if machine?.underVoltage == true { return CheckResult("power", .warning, text("undervoltage"), next: strong) }
        if machine?.throttlingSinceBoot?.contains(.underVoltage) == true {
            return CheckResult("power", .warning, text("undervoltage since the boot"), next: strong)
        }
        if let slow = machine?.throttling, !slow.isEmpty {
            let reasons = slow.map(\.rawValue).joined(separator: ", ")
            return CheckResult(
                "power",
                .warning,
                text("throttled: \(reasons)"),
                next: "cool it: give it air, and keep it out of the sun"
            )
        }
        if machine?.underVoltage == nil {
            let unknown = text("this machine does not report undervoltage")
            guard shutsDown else { return CheckResult("power", .skipped, unknown) }
            let next = "check that the ignition switches the supply, with hold-up: docs/concepts/power.md"
            return CheckResult("power", .warning, "\(unknown), and [power] switches it off", next: next)
        }
        return CheckResult("power", .ok, text("no undervoltage"))
    }

    /// Checks whether the service may switch the machine off; nil if it is not configured to.
    ///
    /// - Parameter directories: the directories of polkit's rules.
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
            "polkit's rule \(Self.rule) is missing: the service may not switch the machine off",
            next: "sudo ln -s /usr/share/obd-agent/polkit/\(Self.rule) /etc/polkit-1/rules.d/; "
                + "see docs/tasks/switch-off-machine.md"
        )
    }

    private static let rule = "50-obd-agent.rules"
}
