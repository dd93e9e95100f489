// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Simulator

/// A number that changes with any byte of what a combustion vehicle answers through an adapter.
struct CombustionDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.value = (self.value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    private static let lines = [
        "ATZ", "ATE0", "ATH1", "ATRV", "ATIGN", "0100", "0101", "010C0D05", "0142", "0131", "0902", "0904", "03", "07",
        "0A", "020200", "020D00", "0601", "22F40C", "22F802", "1902FF", "ATSH7E0", "010C", "ATSH7E4", "220101",
        "220102", "2101", "ATSH7A0", "ATCRA7A8", "22C00B", "ATAR", "ATCRA607", "ATSH6F1", "ATCEA07", "ATFCSH6F1",
        "ATFCSD07300000", "ATFCSM1", "22DDBC", "2130", "ATCEA", "ATSHDB33F1", "0105", "ATCP17", "ATSHFC0076",
        "ATCRA17FE0076", "22DDBC", "2130", "ATCP18", "ATAR", "ATMPFEE51", "ATSP0", "04", "0101",
    ]

    /// Adds the replies of vehicles of all buses at many times.
    mutating func addVehicles() {
        for bus in BusProtocol.allCases {
            for (seed, dialect) in [(1, Dialect.j1979), (7, .j1979), (3, .j1979Part2)]
            where dialect == .j1979 || bus.isCAN {
                var options = SimulatedVehicle.Options()
                (options.bus, options.seed, options.dialect, options.ecus) = (bus, UInt64(seed), dialect, seed % 3 + 1)
                options.codes = [0x0301, 0x0741].map(DTC.init(rawValue:))
                (options.trip, options.pause, options.parking) = (.seconds(300), .seconds(40), .seconds(200))
                if seed == 7 {
                    options.timetable = Timetable([
                        .init(.zero, 12.6, noise: 0.1), .init(.seconds(60), engineRuns: true, 14.2, noise: 0.2),
                        .init(.seconds(500), ignition: true, 12.3), .init(.seconds(700), 12.7),
                    ])
                }
                self.addVehicle(SimulatedVehicle(options))
            }
        }
    }

    private mutating func addVehicle(_ vehicle: SimulatedVehicle) {
        var (vehicle, adapter) = (vehicle, SimulatedAdapter())
        for second in stride(from: 3.0, to: 1200, by: 97.3) {
            var time = max(MonotonicTime(sinceBoot: .seconds(second)), adapter.nextOutput ?? .zero)
            for line in ["ATSP\(vehicle.bus.number)"] + Self.lines {
                adapter.bytesReceived(Array("\(line)\r".utf8), at: time, in: &vehicle)
                while let next = adapter.nextOutput, next < time + .seconds(20) {
                    self.add(adapter.output(at: next))
                    self.add("\(next.sinceBoot.milliseconds)".utf8)
                    time = max(time, next)
                }
                time = time + .milliseconds(3)
            }
        }
        self.add("\(vehicle.requests.engineRunning) \(vehicle.requests.ignitionOff)".utf8)
    }
}
