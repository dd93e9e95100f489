// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import EventLoop

extension MachineReport {
    /// How many zones and sensors are looked at.
    private static let limit = 32
    /// What the kernel calls the processor's thermal zone, on a Pi, on other boards, on a PC.
    private static let zones = ["cpu-thermal", "cpu_thermal", "soc-thermal", "soc_thermal", "x86_pkg_temp"]
    /// Where a Raspberry Pi's firmware tells what slows it down.
    private static let firmware = "devices/platform/soc/soc:firmware/get_throttled"
    /// In the upper half of that word stands what was so since the start.
    private static let sinceBoot = 16

    /// What the kernel tells now; nil where that is nothing.
    ///
    /// - Parameter directory: where sysfs is: `/sys`.
    package static func now(in directory: String) -> MachineReport? {
        var report = MachineReport()
        report.cpuTemperature = Self.temperature(in: directory)
        report.underVoltage = Self.underVoltage(in: directory)
        if let bits = TextFile.read("\(directory)/\(Self.firmware)").flatMap(Self.hexadecimal) {
            report.throttling = Self.throttles(bits)
            report.throttlingSinceBoot = Self.throttles(bits >> Self.sinceBoot)
            report.underVoltage = (report.underVoltage ?? false) || bits & 1 != 0
        }
        return report.isEmpty ? nil : report
    }

    private static func temperature(in directory: String) -> Double? {
        for number in 0..<Self.limit {
            let zone = "\(directory)/class/thermal/thermal_zone\(number)"
            guard let type = TextFile.read("\(zone)/type"), Self.zones.contains(type),
                let thousandths = TextFile.read("\(zone)/temp").flatMap(Int.init),
                -50_000...200_000 ~= thousandths
            else { continue }
            return (Double(thousandths) / 100).rounded() / 10
        }
        return nil
    }

    private static func underVoltage(in directory: String) -> Bool? {
        for number in 0..<Self.limit {
            let sensor = "\(directory)/class/hwmon/hwmon\(number)"
            guard TextFile.read("\(sensor)/name") == "rpi_volt" else { continue }
            return TextFile.read("\(sensor)/in0_lcrit_alarm").map { $0 == "1" }
        }
        return nil
    }

    private static func hexadecimal(_ text: String) -> UInt32? {
        UInt32(text.hasPrefix("0x") ? text.dropFirst(2) : text[...], radix: 16)
    }

    private static func throttles(_ bits: UInt32) -> [Throttle] {
        Throttle.allCases.enumerated().filter { bits >> $0.offset & 1 != 0 }.map(\.element)
    }
}
