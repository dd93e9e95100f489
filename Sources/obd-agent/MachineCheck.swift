// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Configuration
import EventLoop
import Glibc

/// What `check` looks at on this machine: clock, disk, power supply.
enum MachineCheck {
    static func results(_ configuration: Configuration) -> [CheckResult] {
        [
            Self.clock(.now, trust: configuration.clock.trust),
            Self.disk(configuration.store.directory ?? StateDirectory.own, limit: configuration.store.limit),
            Self.power(in: "/sys/class/hwmon"),
        ]
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

    /// A Raspberry Pi tells whether its supply has ever been too weak since it was started.
    static func power(in directory: String) -> CheckResult {
        for number in 0..<32 {
            let sensor = "\(directory)/hwmon\(number)"
            guard TextFile.read("\(sensor)/name") == "rpi_volt" else { continue }
            guard TextFile.read("\(sensor)/in0_lcrit_alarm") == "1" else {
                return CheckResult("power", .ok, "the supply is strong enough")
            }
            let next = "a supply of 5.1 V and 3 A, short thick cables: a weak one damages cards and drops Bluetooth"
            return CheckResult("power", .warning, "undervoltage", next: next)
        }
        return CheckResult("power", .skipped, "this machine does not tell")
    }
}
