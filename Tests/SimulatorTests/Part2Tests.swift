// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2
import Testing

@testable import Simulator

@Suite("A vehicle with OBD on UDS")
struct Part2Tests {
    private static func bench(_ change: (inout SimulatedVehicle.Options) -> Void = { _ in }) -> Bench {
        Bench.ready(.can11at500, ["ATH1", "ATS0"], codes: ["P0301", "P0741"]) { options in
            options.dialect = .j1979Part2
            options.pendingCodes = [DTC(rawValue: 0x0420)]
            options.permanentCodes = [DTC(rawValue: 0x0171)]
            options.part2.failureTypes = [DTC(rawValue: 0x0301): 0x1F]
            change(&options)
        }
    }

    @Test("The services of J1979 get no answer, and a search fails")
    func silent() {
        var bench = Self.bench()
        for request in ["0100", "010C", "03", "0902", "22F40", "3E00", "1003"] {
            #expect(bench.lines(request) == ["NO DATA"], "\(request)")
        }
        _ = bench.send("ATSP0\r")
        #expect(bench.lines("0100").contains { $0.contains("UNABLE TO CONNECT") })
    }

    @Test("Every ECU that has a data identifier answers it")
    func data() throws {
        var bench = Self.bench()
        #expect(bench.lines("22F400").map { $0.prefix(11) } == ["7E80762F400", "7E90762F400"])
        let speed = try #require(bench.lines("22F40C").first)
        #expect(speed.hasPrefix("7E80562F40C"))
        #expect(bench.lines("22F4FE") == ["NO DATA"])
        #expect(bench.lines("22F1901") == ["NO DATA"])
        #expect(bench.lines("22F802").first == "7E8101462F8025A5A5A")
    }

    @Test("Codes have three bytes, and are read by status")
    func codes() {
        var bench = Self.bench()
        #expect(
            bench.lines("19423308FF") == [
                "7E8100B594233FFFF04", "7E8210403011FA8", "7E9100B594233FFFF04", "7E92104074100A8",
            ]
        )
        #expect(bench.lines("19423304FF") == ["7E8100B594233FFFF04", "7E8210404200024", "7E906594233FFFF04"])
        #expect(bench.lines("195533") == ["7E81009595533FF0401", "7E821710008", "7E905595533FF04"])
        #expect(bench.lines("190208").count == 2)
        #expect(bench.lines("19424408FF") == ["NO DATA"])
    }

    @Test("A clear removes all but the permanent codes, and is refused while the engine runs")
    func clear() {
        var running = Self.bench()
        #expect(running.lines("14FFFF33") == ["7E8037F1422", "7E9037F1422"])
        var bench = Self.bench { $0.refusesToClearWhileRunning = false }
        #expect(bench.lines("04") == ["NO DATA"])
        #expect(bench.lines("14FFFF33") == ["7E80154", "7E90154"])
        #expect(bench.lines("19423308FF") == ["7E806594233FFFF04", "7E906594233FFFF04"])
        #expect(bench.lines("195533").count == 3)
    }

    @Test("ECUs without code groups report codes by status only")
    func ungrouped() {
        var bench = Self.bench { $0.part2.ecusWithoutGroups = Set(ECU.allCases) }
        #expect(bench.lines("19423308FF") == ["NO DATA"])
        #expect(bench.lines("190208") == ["7E8075902FF03011FA8", "7E9075902FF074100A8"])
    }

    @Test("One ECU may report codes by groups only, and another by status only")
    func mixed() {
        var bench = Self.bench {
            $0.part2.ecusWithoutGroups = [.transmission]
            $0.part2.ecusWithoutStatus = [.engine]
        }
        #expect(bench.lines("19423308FF") == ["7E8100B594233FFFF04", "7E8210403011FA8"])
        #expect(bench.lines("190208") == ["7E9075902FF074100A8"])
    }

    @Test("The codes have the severity of the options")
    func severity() {
        var bench = Self.bench { $0.part2.severity = CodeSeverity(rawValue: 0x44) }
        #expect(bench.lines("19423308FF").contains("7E8214403011FA8"))
    }

    @Test("Readiness is identifier F501 with six bytes, unless the ECUs have PID 01 instead")
    func readiness() throws {
        var bench = Self.bench()
        let line = try #require(bench.lines("22F501").first { $0.hasPrefix("7E8") })
        #expect(line.hasPrefix("7E8100962F50181") || line.hasPrefix("7E80962F50181"))
        #expect(bench.lines("22F401") == ["NO DATA"])
        var older = Self.bench { $0.part2.hasReadiness = false }
        #expect(older.lines("22F501") == ["NO DATA"])
        #expect(older.lines("22F401").first?.hasPrefix("7E80762F40181") == true)
    }
}
