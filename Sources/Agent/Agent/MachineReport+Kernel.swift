// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import EventLoop

extension MachineReport {
    /// The number of thermal zones and of sensors to read at most.
    private static let limit = 32
    /// The kernel's names of the processor's thermal zone, on a Pi, on other boards and on a PC.
    private static let zones = ["cpu-thermal", "cpu_thermal", "soc-thermal", "soc_thermal", "x86_pkg_temp"]
    /// The file in which a Raspberry Pi's firmware reports its throttling.
    private static let firmware = "devices/platform/soc/soc:firmware/get_throttled"
    /// The first bit of that word's upper half, which has the states since the start.
    private static let sinceBoot = 16

    /// Reads the kernel's figures; nil if there are none.
    ///
    /// - Parameter directory: the directory of sysfs, usually `/sys`.
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
