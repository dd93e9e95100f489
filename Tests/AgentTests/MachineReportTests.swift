// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Glibc
import TestSupport
import Testing

@testable import Agent

@Suite("How the machine is")
struct MachineReportTests {
    private static func sysfs(_ files: [String: String]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (path, text) in files {
            var parent = directory.path
            for level in path.split(separator: "/").dropLast() {
                parent += "/\(level)"
                unsafe mkdir(parent, 0o700)
            }
            try directory.write(text, to: path)
        }
        return directory
    }

    private static let firmware = "devices/platform/soc/soc:firmware/get_throttled"

    @Test("What the kernel does not tell is missing")
    func nothing() throws {
        #expect(MachineReport.now(in: try Self.sysfs([:]).path) == nil)
        let directory = try Self.sysfs([
            "class/thermal/thermal_zone0/type": "acpitz\n", "class/thermal/thermal_zone0/temp": "27800\n",
            "class/hwmon/hwmon0/name": "coretemp\n",
        ])
        #expect(MachineReport.now(in: directory.path) == nil)
    }

    @Test("A Raspberry Pi tells all of it")
    func pi() throws {
        let directory = try Self.sysfs([
            "class/thermal/thermal_zone0/type": "cpu-thermal\n", "class/thermal/thermal_zone0/temp": "52582\n",
            "class/hwmon/hwmon1/name": "rpi_volt\n", "class/hwmon/hwmon1/in0_lcrit_alarm": "0\n",
            Self.firmware: "50004\n",
        ])
        let report = try #require(MachineReport.now(in: directory.path))
        #expect(report.cpuTemperature == 52.6 && report.underVoltage == false)
        #expect(report.throttling == [.throttled] && report.throttlingSinceBoot == [.underVoltage, .throttled])
    }

    @Test("Under-voltage is told by the alarm, or by the firmware", arguments: [("1", "0"), ("0", "1")])
    func underVoltage(alarm: String, bits: String) throws {
        let directory = try Self.sysfs([
            "class/hwmon/hwmon0/name": "rpi_volt", "class/hwmon/hwmon0/in0_lcrit_alarm": alarm, Self.firmware: bits,
        ])
        #expect(MachineReport.now(in: directory.path)?.underVoltage == true)
    }

    @Test("Nonsense is nothing", arguments: ["", "hot", "999999999", "-300000"])
    func nonsense(text: String) throws {
        let directory = try Self.sysfs([
            "class/thermal/thermal_zone0/type": "cpu-thermal", "class/thermal/thermal_zone0/temp": text,
            Self.firmware: "what?",
        ])
        #expect(MachineReport.now(in: directory.path) == nil)
    }
}
