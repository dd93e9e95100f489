// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Testing

@testable import Simulator

@Suite("A truck on J1939")
struct J1939Tests {
    private static func bench(_ commands: [String] = [], faults: [(SPN, FMI)] = []) -> Bench {
        Bench.ready(.j1939, ["ATH1", "ATS0"] + commands) { options in
            options.activeJ1939Codes = faults.map { .init(spn: $0.0, fmi: $0.1, occurrences: 1) }
        }
    }

    /// Returns the engine speed in a printed line, in rpm.
    private static func engineSpeed(_ line: String, header: Int = 8) throws -> Double {
        let data = bytes(String(line.dropFirst(header)))
        let values = try #require(ParameterGroup.withPGN(0xF004)).decode(data)
        let value = try #require(values.first { $0.field.name == "engine_speed" }?.value)
        guard case .number(let number) = value else { return -1 }
        return number
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = Array(hex)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
    }

    @Test("Monitoring with a count of one prints one broadcast, with the vehicle's value")
    func monitorsOnce() throws {
        var bench = Self.bench()
        let lines = bench.lines("ATMPF0041")
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line.hasPrefix("30F00400"))
        let expected = bench.vehicle.state(at: bench.time).engineSpeed
        #expect(abs(try Self.engineSpeed(line) - expected) < 30)
    }

    @Test("Headers have the priority as a field of its own, or the identifier as it is on the bus")
    func headers() throws {
        var bench = Self.bench(["ATJHF0"])
        #expect(try #require(bench.lines("ATMPF0041").first).hasPrefix("0CF00400"))
        var spaced = Self.bench(["ATS1"])
        #expect(try #require(spaced.lines("ATMPFEF11").first).hasPrefix("6 0FEF1 00 "))
    }

    @Test("Monitoring goes on until the client sends a byte")
    func endless() {
        var bench = Self.bench()
        let output = bench.send("ATMPFECA\r", for: .milliseconds(2500))
        #expect(output.split(separator: "\r").count >= 4)
        #expect(!output.contains(">"))
        #expect(bench.send(" ").hasSuffix("STOPPED\r\r>"))
    }

    @Test("Exactly the ECUs that have a group answer a request for it")
    func request() {
        var bench = Self.bench()
        #expect(bench.lines("00FECB").map { $0.prefix(8) } == ["60FECB00", "60FECB03"])
        #expect(bench.lines("00FEBF") == ["NO DATA"])
        #expect(bench.lines("0100") == ["NO DATA"])
        #expect(bench.lines("00F0041").count == 1)
    }

    @Test("Several codes, and the VIN, are transported in several frames")
    func transport() throws {
        var bench = Self.bench(faults: [(110, 0), (100, 1), (3226, 4)])
        let lines = bench.lines("00FEEC")
        #expect(lines.first == "70ECFF0020120003FFECFE00")
        let transfers = lines.filter { $0.hasPrefix("70EBFF00") }
        #expect(transfers.count == 3)
        let text = transfers.flatMap { Self.bytes(String($0.dropFirst(10))) }
        #expect(try J1939Text.vin(text).description == bench.vehicle.options.vin)
        let codes = bench.lines("ATMPFECA2").filter { $0.hasPrefix("70EBFF00") }
        let data = codes.flatMap { Self.bytes(String($0.dropFirst(10))) }
        let message = try DiagnosticMessage(Array(data.prefix(14)))
        #expect(message.codes.map(\.spn) == [110, 100, 3226])
        #expect(message.lamps.malfunctionIndicator == true)
    }

    @Test("After AT JS, the bytes of a group are in the order of the bus")
    func byteOrder() {
        var bench = Self.bench(["ATJS"])
        #expect(bench.lines("CBFE00").count == 2)
        #expect(bench.lines("00FECB") == ["NO DATA"])
    }

    @Test("With the ignition off no ECU sends, and on other buses AT MP is rejected")
    func silence() {
        var bench = Self.bench()
        bench.vehicle.isParked = true
        #expect(bench.lines("00FECA") == ["NO DATA"])
        #expect(bench.send("ATMPF0041\r", for: .seconds(5)) == "")
        var car = Bench.ready(.can11at500)
        #expect(car.lines("ATMPF0041") == ["?"])
    }

    @Test("A search does not find J1939")
    func search() {
        var bench = Bench(.j1939)
        _ = bench.send("ATE0\r")
        _ = bench.send("ATSP0\r")
        #expect(bench.lines("0100").contains { $0.contains("UNABLE TO CONNECT") })
    }

    @Test("Broadcasts do not depend on the intervals of the queries, and none is returned twice")
    func deterministic() {
        let vehicle = Self.bench().vehicle
        let start = vehicle.start + .seconds(60)
        let whole = vehicle.broadcasts(of: 0xFECA, from: start, until: start + .seconds(10))
        #expect(whole.count == 20)
        let halves =
            vehicle.broadcasts(of: 0xFECA, from: start, until: start + .milliseconds(4321))
            + vehicle.broadcasts(of: 0xFECA, from: start + .milliseconds(4321), until: start + .seconds(10))
        #expect(halves == whole)
    }
}
