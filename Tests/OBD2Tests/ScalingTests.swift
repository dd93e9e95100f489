// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("The full scales that an ECU reports in PIDs 4F and 50")
struct ScalingTests {
    private static let supported = SupportedPIDs([0x0B, 0x10, 0x24, 0x34, 0x44, 0x4F, 0x50] as [PID])

    private static func conventions(
        _ maxima: String?,
        airFlow: String? = "00000000",
        isComplete: Bool = true,
        of supported: SupportedPIDs = Self.supported
    ) -> ECUConventions {
        var reported: [PID: [UInt8]] = [:]
        reported[0x4F] = maxima.map { bytes($0) }
        reported[0x50] = airFlow.map { bytes($0) }
        let scaling = Scaling(of: supported, isComplete: isComplete, reported: reported)
        return ECUConventions(oxygenSensors: .twoBanks, scaling: scaling)
    }

    private static func numbers(_ conventions: ECUConventions, _ pid: PID, _ data: String) throws -> [String: Double] {
        var numbers: [String: Double] = [:]
        for value in try conventions.decode(bytes(data), of: pid) {
            if case .number(let number) = value.value { numbers[value.field.key] = number }
        }
        return numbers
    }

    // The reply was recorded from a VW Passat. The pump current of 1 mA proves a lean mixture.
    @Test("A Passat with a maximum of 32 has lambda 1.325, not 0.083")
    func passat() throws {
        let values = try Self.numbers(Self.conventions("20000000"), 0x34, "0A9A8100")
        #expect(abs(try #require(values["lambda"]) - 1.325) < 0.001)
        #expect(values["current"] == 1)
        let standard = try Self.numbers(.standard, 0x34, "0A9A8100")
        #expect(abs(try #require(standard["lambda"]) - 0.083) < 0.001)
    }

    @Test(
        "All ones are the maximum of each quantity, in its unit",
        arguments: [
            (0x24, "FFFFFFFF", ["lambda": 16, "voltage": 10]), (0x34, "FFFF0000", ["lambda": 16, "current": -20]),
            (0x0B, "FF", ["value": 400]), (0x10, "FFFF", ["value": 1000]), (0x44, "FFFF", ["value": 16]),
        ] as [(PID, String, [String: Double])]
    )
    func fullScale(_ pid: PID, _ data: String, _ expected: [String: Double]) throws {
        let conventions = Self.conventions("100A1428", airFlow: "64000000")
        #expect(try Self.numbers(conventions, pid, data) == expected)
        let parameter = try #require(Parameter.withPID(pid))
        let values = expected.mapValues { DecodedValue.number($0) }
        #expect(parameter.encode(values, scaling: conventions.scaling) == bytes(data))
    }

    @Test(
        "A maximum of 0 leaves the standard scale, and so does an ECU without the PIDs",
        arguments: [Self.conventions("00000000"), Self.conventions(nil, airFlow: nil, of: SupportedPIDs())]
    )
    func standard(_ conventions: ECUConventions) throws {
        for (pid, data) in [
            (0x24, "80004000"), (0x34, "80008100"), (0x0B, "64"), (0x10, "1234"), (0x44, "8000"),
        ] as [(PID, String)] {
            let parameter = try #require(Parameter.withPID(pid))
            #expect(try conventions.decode(bytes(data), of: pid) == parameter.decode(bytes(data)))
        }
    }

    @Test("A value whose maximum is not known yet is left out, and the other values are not")
    func unknown() throws {
        let waiting = Self.conventions(nil, airFlow: nil)
        for (pid, data) in [(0x24, "80004000"), (0x34, "80008100"), (0x0B, "64"), (0x10, "1234")] as [(PID, String)] {
            #expect(try waiting.decode(bytes(data), of: pid).isEmpty)
        }
        #expect(try Self.numbers(waiting, 0x0C, "0CB2") == ["value": 812.5])
        #expect(try Self.numbers(Self.conventions("20000000", airFlow: nil), 0x0B, "64") == ["value": 100])
        #expect(try Self.numbers(Self.conventions("20000000", airFlow: nil), 0x10, "1234").isEmpty)
        // Until the bitmaps are read, the ECU may have the PIDs.
        let early = Self.conventions(nil, airFlow: nil, isComplete: false, of: SupportedPIDs())
        #expect(try early.decode(bytes("64"), of: 0x0B).isEmpty)
    }
}

@Suite("The oxygen sensors of an ECU with PID 1D")
struct OxygenSensorLayoutTests {
    private static let fourBanks = ECUConventions(oxygenSensors: .fourBanks, scaling: .standard)

    @Test("PID 1D without PID 13 shows four banks")
    func layout() {
        #expect(OxygenSensorLayout(SupportedPIDs([0x14, 0x1D] as [PID])) == .fourBanks)
        #expect(OxygenSensorLayout(SupportedPIDs([0x13, 0x14] as [PID])) == .twoBanks)
        #expect(OxygenSensorLayout(SupportedPIDs([0x13, 0x1D] as [PID])) == .twoBanks)
        #expect(OxygenSensorLayout(SupportedPIDs()) == .twoBanks)
    }

    @Test(
        "Each value has the name of its sensor",
        arguments: zip(0...7 as ClosedRange<UInt8>, ["b1s1", "b1s2", "b2s1", "b2s2", "b3s1", "b3s2", "b4s1", "b4s2"])
    )
    func names(_ index: UInt8, _ sensor: String) throws {
        let narrow = try Self.fourBanks.decode([90, 128], of: PID(rawValue: 0x14 + index))
        #expect(narrow.map(\.field.name) == ["o2_sensor_\(sensor)_voltage", "o2_sensor_\(sensor)_trim"])
        #expect(narrow.map(\.value) == [.number(0.45), .number(0)])
        let wide = try Self.fourBanks.decode([0x80, 0, 0x40, 0], of: PID(rawValue: 0x24 + index))
        #expect(wide.map(\.field.name) == ["o2_sensor_wide_\(sensor)_lambda", "o2_sensor_wide_\(sensor)_voltage"])
        let pump = try Self.fourBanks.decode([0x80, 0, 0x81, 0], of: PID(rawValue: 0x34 + index))
        #expect(pump.map(\.field.name) == ["o2_sensor_pump_\(sensor)_lambda", "o2_sensor_pump_\(sensor)_current"])
        #expect(pump.map(\.value) == [.number(1), .number(1)])
        #expect(Self.fourBanks.parameterName(of: PID(rawValue: 0x14 + index)) == "o2_sensor_\(sensor)")
    }

    @Test("A parameter and its PID change places, and no other PID does", arguments: 0...255 as ClosedRange<UInt8>)
    func places(_ code: UInt8) {
        let pid = PID(rawValue: code)
        let place = OxygenSensorLayout.fourBanks.counterpart(of: pid)
        #expect(OxygenSensorLayout.fourBanks.counterpart(of: place) == pid)
        #expect(OxygenSensorLayout.twoBanks.counterpart(of: pid) == pid)
        let isSensor = [0x14...0x1B, 0x24...0x2B, 0x34...0x3B].contains { $0.contains(code) }
        #expect(isSensor || place == pid)
    }

    @Test("The sensors of banks 3 and 4 are found by name, and no name is used twice")
    func catalogue() throws {
        let parameter = try #require(Parameter.named("o2_sensor_wide_b4s2_lambda"))
        #expect(parameter.fields.map(\.name).contains("o2_sensor_wide_b4s2_lambda"))
        #expect(OxygenSensorLayout.fourBanks.counterpart(of: parameter.pid) == 0x2B)
        #expect(ParameterKey.pid(parameter.pid).valueNames.contains("o2_sensor_wide_b4s2_lambda"))
        let names = (Parameter.catalogue + Parameter.fourBanks).flatMap { $0.fields.map(\.name) }
        #expect(Set(names).count == names.count)
    }
}
