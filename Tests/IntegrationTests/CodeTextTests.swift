// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@Suite("Codes on the command line")
struct CodeTextTests {
    @Test("Codes of any form are explained, and replies beside them")
    func decode() async throws {
        let program = try Program(builtHere: "obd-agent")
        #expect(
            try await program.run(["decode", "P0301", "c0031-13", "SPN110-FMI0", "430204200143"])
                == [
                    "P0301  Misfire in cylinder 1", "       Powertrain: ignition or misfire",
                    "C0031-13  Left front wheel speed sensor (circuit open)",
                    "          Chassis: brakes and traction control",
                    "SPN110-FMI0  Engine coolant temperature: far above its normal range",
                    "             Heavy-duty vehicle (SAE J1939)",
                    "stored:", "  P0420  Catalyst efficiency too low, bank 1",
                    "  P0143  Oxygen sensor, bank 1 sensor 3: voltage low",
                ]
        )
        for wrong in [["P030"], ["7E8", "10", "14", "49", "02"], ["7E8", "04", "41", "0C"], ["7E8", "00", "41"]] {
            await #expect(throws: ProgramFailed.self) { try await program.run(["decode"] + wrong) }
        }
    }

    @Test("An argument that cannot be read hides no other, and the command fails at its end")
    func continuation() async throws {
        let words = ["P030", "P0301", "410C1AF", "410C1AF8"]
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["decode"] + words)
        let (errors, output) = try await within("decode") {
            async let errors = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return (await errors, output)
        }
        #expect(output.contains("P0301  Misfire in cylinder 1") && output.contains { $0.contains("1726") })
        #expect(errors.count { $0.contains("is neither a code nor") } == 2)
        await #expect(throws: ProgramFailed.self) {
            try await Program(builtHere: "obd-agent").run(["decode", "P0301", "P030"])
        }
    }

    @Test("A line of a CAN bus reads as the reply in it")
    func frame() async throws {
        let program = try Program(builtHere: "obd-agent")
        let reply = try await program.run(["decode", "410C1AF8"])
        let lines = [
            ["7E8", "04", "41", "0C", "1A", "F8"], ["18DAF110 04 41 0C 1A F8 AA AA AA"], ["7E804410C1AF8"],
            ["7E8", "04410C1AF8"], ["18DAF11004410C1AF8AAAAAA"], ["18DAF110", "04410C1AF8"],
        ]
        for line in lines {
            #expect(try await program.run(["decode"] + line) == reply, "\(line)")
        }
        for several in [["7E804410C1AF8", "410C1AF8"], ["7E8 04 41 0C 1A F8", "41 0C 1A F8"]] {
            #expect(try await program.run(["decode"] + several) == reply + reply, "\(several)")
        }
    }

    @Test("What is no reply is wrong usage, and the next step works")
    func complaints() async throws {
        func complaint(_ words: [String]) async throws -> String {
            let program = try Program(builtHere: "obd-agent")
            let error = await #expect(throws: ProgramFailed.self) { try await program.run(["decode"] + words) }
            return error.map { "\($0)" } ?? ""
        }
        for words in [[""], ["", " "]] {
            let empty = try await complaint(words)
            #expect(empty.contains("exited(64)") && empty.contains("the arguments are empty"))
        }
        let frames = try await complaint(["7E81014490201575030"])
        #expect(frames.contains("the data of all as one argument, without headers, lengths and frame numbers"))
        #expect(try await complaint(["410C1AF"]).contains("such as 410C1AF8 or 7E804410C1AF8"))
    }

    @Test("A program gets the same as JSON")
    func json() async throws {
        let lines = try await Program(builtHere: "obd-agent").run(["decode", "--json", "P1234", "SPN110-FMI0"])
        #expect(
            JSON(parsing: Array(lines.joined().utf8)) == [
                [
                    "code": "P1234", "category": "powertrain", "group": "fuel_and_air",
                    "description": "Code of the manufacturer: see the documentation for this vehicle",
                ],
                [
                    "code": "SPN110-FMI0", "category": .null, "group": .null,
                    "description": "Engine coolant temperature: far above its normal range",
                ],
            ]
        )
    }

    @Test("A vehicle's codes stand by their group, none wider than a terminal")
    func list() async throws {
        let car = try await SimulatedCar(["--codes", "U0100,P0420,C1200,P0301,C0031,P2BAB,B0001", "--pending", "P0171"])
        let lines = try await Program(builtHere: "obd-agent").run(["codes", "--adapter", car.address])
        #expect(lines.allSatisfy { $0.count <= 80 })
        let headings = lines.filter { !$0.hasPrefix(" ") && $0.contains(":") || $0 == "Chassis" }
        #expect(
            headings == [
                "Powertrain: fuel and air metering", "Powertrain: ignition or misfire",
                "Powertrain: auxiliary emission controls", "Chassis: brakes and traction control", "Chassis",
                "Body: restraints", "Network: communication", "7E8 when U0100 was stored:",
            ]
        )
        let place = try #require(lines.firstIndex(of: "  P0171  Mixture too lean, bank 1"))
        #expect(lines[place + 1] == "         7E8  pending")
        #expect(lines.contains("  P2BAB  Nitrogen oxides too high: exhaust gas recirculation flow"))
    }
}
