// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

/// A row of uasid.csv.
struct ScalingRow: Sendable, CustomTestStringConvertible {
    let id: UInt8
    let isSigned: Bool
    let scale: Double
    let offset: Double
    let unit: String
    let range: ClosedRange<Double>

    var testDescription: String { "\(self.id)" }

    static let all: [ScalingRow] = Table.unitsAndScalings.rows.compactMap { row in
        guard let id = bytes(row["id"] ?? "").first, let scale = Double(row["scale"] ?? ""),
            let offset = Double(row["offset"] ?? ""), let minimum = Double(row["min"] ?? ""),
            let maximum = Double(row["max"] ?? "")
        else { return nil }
        return ScalingRow(
            id: id,
            isSigned: row["signed"] == "yes",
            scale: scale,
            offset: offset,
            unit: row["unit"] ?? "",
            range: minimum...maximum
        )
    }
}

@Suite("Results of monitors' tests")
struct MonitorTestTests {
    private typealias Words = MonitorTest.Words

    private func tests(_ monitor: UInt8, _ message: String) throws -> [MonitorTest] {
        try MonitorTest.decode(
            Reply(messages: [bytes(message)], to: .monitorTests(MonitorID(rawValue: monitor)))
        )
    }

    @Test("The standard's worked example decodes")
    func example() throws {
        let tests = try self.tests(0x01, "46 01 01 0A 0B B0 0B B0 0B B0 01 05 10 00 48 00 00 00 64")
        #expect(tests.map(\.test) == [0x01, 0x05])
        let voltage = try #require(tests[0].values)
        #expect(voltage.unit == "mV" && voltage.value == 365.024)
        #expect(voltage.minimum == 365.024 && voltage.maximum == 365.024)
        let time = try #require(tests[1].values)
        #expect((time.value, time.minimum, time.maximum) == (72, 0, 100) && time.unit == "ms")
        #expect(tests.map(\.verdict) == [.passed, .passed])
        #expect(MonitorTest.encode(tests) == bytes("46 01 01 0A 0B B0 0B B0 0B B0 01 05 10 00 48 00 00 00 64"))
    }

    @Test("The catalogue has every unit and scaling of the table")
    func count() {
        #expect(ScalingRow.all.count == 100)
    }

    @Test("Every unit and scaling equals its row of the table", arguments: ScalingRow.all)
    func scaling(_ row: ScalingRow) throws {
        let names = ["mOhm": "mΩ", "Ohm": "Ω", "kOhm": "kΩ", "us": "µs", "uA": "µA", "mm2": "mm²", "inch": "in"]
        let words: [UInt16] = [0, 1, 0x1234, 0x7FFF, 0x8000, 0xFFFF]
        for word in words {
            let test = MonitorTest(
                monitor: MonitorID(rawValue: 0x81),
                test: 0x90,
                scaling: row.id,
                words: Words(value: word, minimum: row.isSigned ? 0x8000 : 0, maximum: row.isSigned ? 0x7FFF : 0xFFFF)
            )
            let values = try #require(test.values)
            let raw = row.isSigned ? Double(Int16(bitPattern: word)) : Double(word)
            #expect(abs(values.value - (raw * row.scale + row.offset)) <= 1e-6 * max(1, abs(values.value)))
            #expect(values.unit == (["raw", "bool"].contains(row.unit) ? nil : names[row.unit] ?? row.unit))
            #expect(test.verdict == .passed)
            guard row.unit != "bool" else { continue }
            #expect(abs(values.minimum - row.range.lowerBound) <= 1e-4 * max(1, abs(values.minimum)))
            #expect(abs(values.maximum - row.range.upperBound) <= 1e-4 * max(1, abs(values.maximum)))
        }
    }

    @Test(
        "A test passes within its limits, compared as signed numbers for signed ids",
        arguments: [
            (0x0B, 100, 0, 100, .passed), (0x0B, 101, 0, 100, .failed), (0x0B, 9, 10, 100, .failed),
            (0x0B, 10, 10, 100, .passed), (0x0B, 0xFFFF, 0, 0x7FFF, .failed), (0x8B, 0xFFFF, 0, 0x7FFF, .failed),
            (0x8B, 0xFFFF, 0x8000, 1, .passed), (0x0B, 0xFFFF, 0x8000, 0xFFFF, .passed),
            (0x8B, 1, 0x8000, 0xFFFF, .failed), (0x16, 0, 0, 0, .notRun), (0x44, 5, 0, 10, .unknown),
            (0x44, 0, 0, 0, .notRun), (0x0B, 5, 10, 1, .failed),
        ] as [(UInt8, UInt16, UInt16, UInt16, MonitorTest.Verdict)]
    )
    func verdict(scaling: UInt8, value: UInt16, minimum: UInt16, maximum: UInt16, verdict: MonitorTest.Verdict) {
        let test = MonitorTest(
            monitor: MonitorID(rawValue: 0x21),
            test: 0x80,
            scaling: scaling,
            words: Words(value: value, minimum: minimum, maximum: maximum)
        )
        #expect(test.verdict == verdict)
    }

    @Test("A result that is truncated, too long or of another monitor is refused")
    func broken() {
        for message in ["46 01", "46 01 01 0A 0B B0 0B B0 0B", "46 01 01 0A 0B B0 0B B0 0B B0 00"] {
            #expect(throws: DecodingError.wrongLength(expected: 9...9, actual: bytes(message).count - 1)) {
                try self.tests(0x01, message)
            }
        }
        #expect(throws: DecodingError.wrongEcho(expected: [0x01], actual: [0x02])) {
            try self.tests(0x01, "46 01 01 0A 0B B0 0B B0 0B B0 02 05 10 00 48 00 00 00 64")
        }
        #expect(throws: DecodingError.wrongEcho(expected: [0x01], actual: [0x02])) {
            try self.tests(0x01, "46 02 01 0A 0B B0 0B B0 0B B0")
        }
    }

    @Test("Monitors have the names of the standard")
    func names() {
        for (id, name) in [
            (0x01, "oxygen sensor B1S1"), (0x04, "oxygen sensor B1S4"), (0x05, "oxygen sensor B2S1"),
            (0x10, "oxygen sensor B4S4"), (0x22, "catalyst bank 2"), (0x34, "EGR bank 4"), (0x35, "VVT bank 1"),
            (0x3C, "EVAP, 0.020 in"), (0x41, "oxygen sensor heater B1S1"), (0x50, "oxygen sensor heater B4S4"),
            (0x74, "secondary air 4"), (0x81, "fuel system bank 1"), (0x86, "boost pressure bank 2"),
            (0x91, "NOx adsorber bank 2"), (0x98, "NOx catalyst bank 1"), (0xA1, "misfire"),
            (0xA2, "misfire cylinder 1"), (0xAD, "misfire cylinder 12"), (0xAE, "misfire cylinder 13"),
            (0xB1, "misfire cylinder 16"), (0xB2, "particulate filter bank 1"), (0xB3, "particulate filter bank 2"),
        ] as [(UInt8, String)] { #expect(MonitorID(rawValue: id).name == name) }
        for id in [0x00, 0x11, 0x20, 0x51, 0xB4, 0xE0, 0xE1, 0xFF] as [UInt8] {
            #expect(MonitorID(rawValue: id).name == nil)
        }
        #expect(MonitorID(rawValue: 0xA0).isBitmap && !MonitorID(rawValue: 0xA1).isBitmap)
    }
}

@Suite("Results of tests on the buses before CAN")
struct OlderTestTests {
    private func component(_ messages: [String]) throws -> [ComponentTest] {
        try ComponentTest.decode(Reply(messages: messages.map(bytes), to: .componentTests(0x05)))
    }

    @Test("A limit is the greatest or the least value that passes")
    func limits() throws {
        let tests = try self.component(["46 05 03 01 00 02 00", "46 05 83 01 00 02 00", "46 05 04 00 00 00 00"])
        #expect(tests.map(\.component) == [3, 3, 4])
        #expect(tests.map(\.isMinimum) == [false, true, false])
        #expect(tests.map(\.verdict) == [.passed, .failed, .notRun])
        #expect(tests[0].value == 0x100 && tests[0].limit == 0x200)
        #expect(ComponentTest.encode(tests) == ["46050301000200", "46058301000200", "46050400000000"].map(bytes))
    }

    @Test("A repeated message is one result; contradicting messages and wrong lengths are refused")
    func broken() throws {
        #expect(try self.component(["46 05 03 01 00 02 00", "46 05 03 01 00 02 00"]).count == 1)
        #expect(throws: DecodingError.ambiguous) {
            try self.component(["46 05 03 01 00 02 00", "46 05 03 01 01 02 00"])
        }
        #expect(throws: DecodingError.wrongLength(expected: 5...5, actual: 4)) {
            try self.component(["46 05 03 01 00 02"])
        }
    }

    @Test("The bitmap of tests follows FF")
    func bitmap() throws {
        func bitmap(_ message: String) throws -> [UInt8] {
            try ComponentTest.bitmap(Reply(messages: [bytes(message)], to: .componentTests(0x00)))
        }
        #expect(try bitmap("46 00 FF C0 00 00 01") == bytes("C0 00 00 01"))
        #expect(throws: DecodingError.wrongLength(expected: 5...5, actual: 4)) { try bitmap("46 00 C0 00 00 01") }
        #expect(throws: DecodingError.wrongEcho(expected: [0xFF], actual: [0])) { try bitmap("46 00 00 C0 00 00 01") }
    }

    private func sensor(_ test: UInt8, _ message: String) throws -> OxygenSensorTest {
        try OxygenSensorTest.decode(Reply(messages: [bytes(message)], to: .oxygenSensorTest(test, sensor: 0x01)))
    }

    @Test("An oxygen sensor's test has a value and, unless it is a constant, limits")
    func oxygenSensor() throws {
        let threshold = try self.sensor(0x01, "45 01 01 5A")
        #expect(threshold.raw == .constant(0x5A) && threshold.verdict == nil)
        let switching = try self.sensor(0x05, "45 05 01 12 00 19")
        #expect(switching.raw == .measured(value: 0x12, minimum: 0, maximum: 0x19) && switching.verdict == .passed)
        #expect(try self.sensor(0x06, "45 06 01 1A 00 19").verdict == .failed)
        #expect(try self.sensor(0x06, "45 06 01 00 00 00").verdict == .notRun)
        #expect(threshold.payload == bytes("45 01 01 5A") && switching.payload == bytes("45 05 01 12 00 19"))
        #expect(try self.sensor(0x30, "45 30 01 12").raw == .constant(0x12))
    }

    @Test("Only the standard's tests have a scale")
    func scales() {
        for (test, step, unit) in [
            (0x01, 0.005, .volt), (0x04, 0.005, .volt), (0x05, 0.004, .second), (0x06, 0.004, .second),
            (0x07, 0.005, .volt), (0x08, 0.005, .volt), (0x09, 0.04, .second), (0x0A, 0.04, .second),
        ] as [(UInt8, Double, OBD2.Unit)] {
            let scale = OxygenSensorTest.scale(of: test)
            #expect(scale?.step == step && scale?.unit == unit)
        }
        #expect(OxygenSensorTest.scale(of: 0x00) == nil && OxygenSensorTest.scale(of: 0x21) == nil)
    }

    @Test("A test of an oxygen sensor with a wrong length is refused")
    func oxygenSensorLengths() {
        for (test, message) in [
            (0x01, "45 01 01"), (0x01, "45 01 01 5A 00 00"), (0x05, "45 05 01 12"), (0x05, "45 05 01 12 00"),
            (0x05, "45 05 01 12 00 19 00"), (0x30, "45 30 01 12 00"),
        ] as [(UInt8, String)] {
            #expect(throws: DecodingError.self, "\(message)") { try self.sensor(test, message) }
        }
        #expect(throws: DecodingError.wrongEcho(expected: [0x05, 0x01], actual: [0x05, 0x02])) {
            try self.sensor(0x05, "45 05 02 12 00 19")
        }
    }

    @Test("One bit names a sensor, in the order of PID 13 or of PID 1D")
    func sensors() {
        func name(_ bits: UInt8, _ hasFourBanks: Bool) -> String? {
            OxygenSensorTest(test: 1, sensor: bits, raw: .constant(0)).sensorName(hasFourBanks: hasFourBanks)
        }
        #expect(
            (0..<8).map { name(1 << $0, false) } == ["B1S1", "B1S2", "B1S3", "B1S4", "B2S1", "B2S2", "B2S3", "B2S4"]
        )
        #expect(
            (0..<8).map { name(1 << $0, true) } == ["B1S1", "B1S2", "B2S1", "B2S2", "B3S1", "B3S2", "B4S1", "B4S2"]
        )
        #expect(name(0, false) == nil && name(3, false) == nil)
    }
}

@Suite("Control")
struct ControlTests {
    @Test("A request and its reply have five bytes")
    func control() throws {
        let control = try #require(ControlRequest(test: ControlRequest.evaporativeLeakTest, data: [0x12]))
        #expect(control.request.payload == bytes("08 01 12 00 00 00 00"))
        #expect(ControlRequest(test: 1, data: [0, 0, 0, 0, 0, 0]) == nil)
        func decode(_ message: String) throws -> [UInt8] {
            try ControlRequest.decode(Reply(messages: [bytes(message)], to: control.request))
        }
        #expect(try decode("48 01 00 00 00 00 07") == [0, 0, 0, 0, 7])
        #expect(throws: DecodingError.wrongLength(expected: 5...5, actual: 0)) { try decode("48 01") }
        #expect(throws: DecodingError.wrongEcho(expected: [1], actual: [2])) { try decode("48 02 00 00 00 00 00") }
    }
}
