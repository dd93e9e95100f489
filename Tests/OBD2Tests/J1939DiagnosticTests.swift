// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

/// The figures are facts from the unit tests and issues of github.com/Equipment-and-Tool-Institute/j1939-84, an open
/// implementation of the tests that SAE J1939-84 prescribes; the number of an issue is in the comment.
@Suite("J1939 diagnostic messages")
struct J1939DiagnosticTests {
    // MARK: - Readiness

    @Test(
        "DM5 has the counts of codes, the compliance and the readiness",
        arguments: [
            // Issue 1034.
            (
                "00 00 14 37 E0 02 A0 02", 0, 0, 20,
                ["misfire", "fuel", "components", "exhaust_gas_sensor", "o2_heater", "egr_vvt", "boost_pressure"],
                ["misfire", "fuel", "exhaust_gas_sensor", "egr_vvt", "boost_pressure"]
            ),
            // DM5DiagnosticReadinessPacketTest: error, and the bits of 44, 55, 66, 77, 88.
            (
                "FE FE FE 2C 37 42 4D 58", nil, nil, nil,
                [
                    "components", "catalyst", "heated_catalyst", "evap", "gpf_or_ac", "exhaust_gas_sensor",
                    "boost_pressure",
                ],
                ["catalyst", "evap"]
            ),
            ("0B 16 14 00 00 00 00 00", 11, 22, 20, [], []),
        ] as [(String, Int?, Int?, UInt8?, Set<String>, Set<String>)]
    )
    func readiness(
        hex: String,
        active: Int?,
        previous: Int?,
        compliance: UInt8?,
        supported: Set<String>,
        incomplete: Set<String>
    ) throws {
        let message = try ReadinessMessage(bytes(hex))
        #expect(message.activeCodes == active && message.previouslyActiveCodes == previous)
        #expect(message.compliance == compliance)
        let readiness = try #require(message.readiness)
        #expect(Set(readiness.supported.map(\.rawValue)) == supported)
        #expect(Set(readiness.incomplete.map(\.rawValue)) == incomplete)
        #expect(try ReadinessMessage(message.data).readiness == readiness)
    }

    /// DM5DiagnosticReadinessPacketTest.
    @Test("An ECU that takes no part in diagnostics has no readiness", arguments: ["FF FF 05", "FF FF FF", "00 00 05"])
    func noDiagnostics(head: String) throws {
        #expect(try ReadinessMessage(bytes("\(head) FF FF FF FF FF")).readiness == nil)
    }

    /// Issues 567 and 1266.
    @Test("DM26 has the readiness in this trip, its run time and the warm-ups")
    func tripReadiness() throws {
        let data = bytes("00 00 05 37 40 14 E0 1E")
        let readiness = try MonitorReadiness(data)
        #expect(
            readiness.supported == [
                .misfire, .fuelSystem, .components, .oxygenSensorHeater, .nmhcCatalyst, .particulateFilter,
            ]
        )
        #expect(
            readiness.incomplete == [.misfire, .fuelSystem, .oxygenSensorHeater, .nmhcCatalyst, .particulateFilter]
        )
        let group = try #require(ParameterGroup.withPGN(.tripReadiness))
        #expect(group.decode(data).map(\.value) == [.number(0), .number(5)])
        #expect(group.decode(bytes("0B 16 21 00 00 00 00 00")).map(\.value) == [.number(5643), .number(33)])
        #expect(group.decode(bytes("FF FF FF 04 00 00 00 00")).isEmpty)
        #expect(group.decode(bytes("00 FE FE 2C 37 42 4D 58")).isEmpty)
    }

    @Test("Readiness of J1939 reads as that of PIDs 01 and 41, and the lamp stays that of DM1")
    func translated() throws {
        let lamp = try self.reply(to: .currentData(0x01), "00FECA 40 FF 6E 00 00 01 FF FF")
        let monitors = try self.reply(to: .currentData(0x01), "00FECE 01 00 14 37 E0 02 A0 02")
        let status = try MonitorStatus(data: lamp.data).with(monitorsOf: MonitorStatus(data: monitors.data))
        #expect(status.mil && status.codeCount == 1 && status.ignition == nil)
        #expect(status.supported.contains(.boostPressure) && !status.incomplete.contains(.oxygenSensorHeater))
        let cycle = try self.reply(to: .currentData(0x41), "00FDB8 00 00 05 37 40 14 E0 1E")
        #expect(try MonitorStatus(data: cycle.data).supported.count == 6)
        #expect(throws: DecodingError.notProgrammed) {
            try self.reply(to: .currentData(0x01), "00FECE 00 00 05 00 00 00 00 00")
        }
        #expect(throws: DecodingError.wrongEcho(expected: [0, 0xFD, 0xB8], actual: [0, 0xFE, 0xCE])) {
            try self.reply(to: .currentData(0x41), "00FECE 00 00 14 37 40 14 E0 1E")
        }
    }

    private func reply(to request: Request, _ hex: String) throws -> Reply {
        let message = try Dialect.j1939.j1979Reply(from: bytes(hex), to: request)
        return try Reply(messages: [message], to: request)
    }

    // MARK: - Calibrations and performance

    /// DM19CalibrationInformationPacketTest and issue 1134; the fourth place of the second message is empty.
    private static let calibrationMessages: [(String, [(String, UInt32)])] = [
        ("51 BA FE BD 41 4E 54 35 41 53 52 31 20 20 00 00 00 00 00 00", [("ANT5ASR1", 0xBDFE_BA51)]),
        (
            """
            06 7A 6E C9 41 32 36 31 58 58 4D 5F 45 37 31 31 45 33 31 44 \
            A8 73 89 13 4E 4F 78 2D 53 41 45 31 34 61 20 41 54 49 31 00 \
            8C 4B F9 C9 4E 4F 78 2D 53 41 45 31 34 61 20 41 54 4F 31 00 \
            00 00 00 00 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF \
            D2 BF 0F A9 50 4D 53 31 32 33 34 31 41 31 30 31 00 00 00 00
            """,
            [
                ("A261XXM_E711E31D", 0xC96E_7A06), ("NOx-SAE14a ATI1", 0x1389_73A8),
                ("NOx-SAE14a ATO1", 0xC9F9_4B8C), ("PMS12341A101", 0xA90F_BFD2),
            ]
        ),
        ("00 00 00 00 4E 50 44 43 46 44 4E 54 00 00 00 00 00 00 00 00", [("NPDCFDNT", 0)]),
        ("00 AC FF 33 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", [("", 0x33FF_AC00)]),
        ("DE E5 00 00 31 32 44 42 42 32 30 30 30 32 00 00 00 00 00 00", [("12DBB20002", 0xE5DE)]),
    ]

    @Test("DM19 has the calibrations with their numbers", arguments: Self.calibrationMessages)
    func calibrations(hex: String, expected: [(String, UInt32)]) throws {
        let message = try CalibrationMessage(bytes(hex))
        #expect(message.calibrations.map(\.identification) == expected.map(\.0))
        #expect(message.calibrations.map(\.verificationNumber) == expected.map(\.1))
        #expect(try CalibrationMessage(message.data) == message)
        let names = try self.reply(to: .vehicleInformation(.calibrationIDs), "00D300 \(hex)")
        #expect(try VehicleInformation.calibrationIDs(names, layout: .can) == expected.map(\.0))
        let numbers = try self.reply(to: .vehicleInformation(.calibrationVerificationNumbers), "00D300 \(hex)")
        #expect(
            try VehicleInformation.calibrationVerificationNumbers(numbers, layout: .can).map { UInt32($0, radix: 16) }
                == expected.map(\.1)
        )
    }

    @Test("DM19 that is cut off, or has no calibration, is an error")
    func brokenCalibrations() {
        #expect(throws: DecodingError.wrongLength(expected: 20...20, actual: 8)) {
            try CalibrationMessage(bytes("11 22 33 44 55 66 77 88"))
        }
        #expect(throws: DecodingError.notProgrammed) { try CalibrationMessage([UInt8](repeating: 0xFF, count: 20)) }
    }

    /// Issue 1051.
    private static let performanceData = """
        13 00 01 00 CA 14 F8 00 00 00 00 B8 12 F8 00 00 01 00 C6 14 F8 00 00 01 00 F2 0B F8 00 00 01 00 \
        F8 0B F8 00 00 01 00 C9 14 F8 00 00 01 00 EF 0B F8 00 00 01 00
        """

    @Test("DM20 has the counters of each monitor")
    func ratios() throws {
        let message = try PerformanceMessage(bytes(Self.performanceData))
        #expect(message.ignitionCycles == 19 && message.monitoringConditions == 1)
        #expect(message.ratios.map(\.monitor) == [5322, 4792, 5318, 3058, 3064, 5321, 3055])
        #expect(message.ratios.allSatisfy { $0.completions == 0 } && message.ratios[0].conditions == 0)
        #expect(message.ratios.dropFirst().allSatisfy { $0.conditions == 1 })
        #expect(message.data == bytes(Self.performanceData))
        // DM20MonitorPerformanceRatioPacketTest; FEFF and FFFF are no numbers.
        let last = try PerformanceMessage(bytes("A5 A5 5A 5A FF FF FF FF FE FF FF"))
        #expect(last.ignitionCycles == 42_405 && last.monitoringConditions == 23_130)
        #expect(last.ratios == [.init(monitor: 524_287, completions: nil, conditions: nil)])
        #expect(last.compression == nil)
        #expect(try PerformanceMessage(bytes("0C 00 01 00 FF FF FF FF")).ratios.isEmpty)
        #expect(throws: DecodingError.wrongLength(expected: 4...4, actual: 10)) {
            try PerformanceMessage(bytes("0C 00 01 00 CA 14 F8 00 00 00"))
        }
    }

    @Test("DM20 of a diesel engine reads as InfoType 0B")
    func compression() throws {
        let reply = try self.reply(to: .vehicleInformation(.compressionPerformance), "00C200 \(Self.performanceData)")
        let performance = try VehicleInformation.inUsePerformance(reply, layout: .can)
        #expect(performance.ignition == .compression && performance.ignitionCycles == 19)
        #expect(performance.ratios.first { $0.monitor == "nox_catalyst" }?.conditions == 1)
        #expect(performance.ratios.first { $0.monitor == "nox_adsorber" }?.conditions == 0)
        // The exhaust gas recirculation and the fuel system of a spark engine alone are no diesel's.
        #expect(throws: DecodingError.notProgrammed) {
            try self.reply(to: .vehicleInformation(.compressionPerformance), "00C200 01000100 F20BF801000200")
        }
        // Of the catalyst's two monitors the one that ran less often counts.
        let two = try PerformanceMessage(bytes("01000100 B812F803000400 0C11F801000400"))
        #expect(two.compression?.ratios.first { $0.monitor == "nox_catalyst" }?.completions == 1)
    }

    /// DM21DiagnosticReadinessPacketTest.
    @Test("DM21 has the distances and times since a clear and with the lamp on")
    func distances() throws {
        let group = try #require(ParameterGroup.withPGN(0xC100))
        let values = group.decode(bytes("10 27 20 4E 30 75 40 9C"))
        #expect(
            values.map(\.field.name) == [
                "distance_with_mil", "distance_since_clear", "run_time_with_mil", "time_since_clear",
            ]
        )
        #expect(values.map(\.value) == [10_000, 20_000, 30_000, 40_000].map(DecodedValue.number))
        #expect(
            group.decode(bytes("FF FA FF FA FF FA FF FA")).map(\.value)
                == [DecodedValue](repeating: .number(64_255), count: 4)
        )
        #expect(group.decode(bytes("00 FE 00 FE 00 FE 00 FE")).isEmpty)
        #expect(group.decode([UInt8](repeating: 0xFF, count: 8)).isEmpty)
    }

    // MARK: - Freeze frames and tests

    /// DM24SPNSupportPacketTest and SupportedSPNTest.
    @Test(
        "DM24 says where a parameter is",
        arguments: [
            ("5C 00 1C 01", 92, "DF", 1), ("66 00 18 01", 102, "DFT", 1), ("08 11 1E 02", 4360, "F", 2),
            ("45 11 1F 01", 4421, "", 1), ("ED 00 1D 11", 237, "D", 17), ("A1 10 1B 01", 4257, "T", 1),
            ("FE FE FE FE", 524_030, "F", 254), ("FF FF FF FA", 524_287, "", 250), ("01 02 10 08", 513, "DFTR", 8),
        ] as [(String, SPN, String, Int)]
    )
    func support(hex: String, spn: SPN, uses: String, length: Int) throws {
        let entry = try #require(try SupportedSPNs(bytes(hex + " 00 00 1F 00")).entries.first)
        #expect(entry.spn == spn && entry.length == length)
        let flags = [
            (entry.isInDataStream, "D"), (entry.isInFreezeFrame, "F"), (entry.hasTestResults, "T"),
            (entry.hasFaultData, "R"),
        ]
        #expect(flags.filter(\.0).map(\.1).joined() == uses)
    }

    @Test("Places of DM24 without a parameter are left out, and a part of one is an error")
    func emptySupport() throws {
        #expect(try SupportedSPNs(bytes("00 00 1F 00 FF FF FF FF")).entries.isEmpty)
        #expect(throws: DecodingError.wrongLength(expected: 4...4, actual: 6)) {
            try SupportedSPNs(bytes("5C 00 1C 01 66 00"))
        }
    }

    /// DM25ExpandedFreezeFrameTest.
    private static let frame = """
        56 9D 00 07 7F 00 01 7B 00 00 39 3A 5C 0F C4 FB 00 00 00 F1 26 00 00 00 12 7A 7D 80 65 00 00 32 00 00 00 00 \
        84 AD 00 39 2C 30 39 FC 38 C6 35 E0 34 2C 2F 00 00 7D 7D 8A 28 A0 0F A0 0F D1 37 00 CA 28 01 A4 0D 00 A8 C3 \
        B2 C2 C3 00 00 00 00 7E D0 07 00 7D 04 FF FA
        """

    @Test("DM25 has the frames of all codes, up to a length of 0")
    func freezeFrames() throws {
        let frames = try ExpandedFreezeFrames(bytes("\(Self.frame) \(Self.frame) 00 01 02 03")).frames
        #expect(frames.count == 2 && frames[0] == frames[1])
        #expect(frames[0].code == DiagnosticMessage.Entry(spn: 157, fmi: 7))
        #expect(frames[0].data.count == 82 && frames[0].data.starts(with: [0x00, 0x01, 0x7B]))
        #expect(try ExpandedFreezeFrames(bytes("00 00 00 00 00 FF FF FF")).frames.isEmpty)
        #expect(throws: DecodingError.wrongLength(expected: 86...86, actual: 85)) {
            try ExpandedFreezeFrames(Array(bytes(Self.frame).dropLast()))
        }
        #expect(throws: DecodingError.wrongLength(expected: 4...4, actual: 3)) {
            try ExpandedFreezeFrames([3, 0x9D, 0, 7])
        }
        #expect(throws: DecodingError.unknownFormat(0x81)) { try ExpandedFreezeFrames([4, 0x9D, 0, 7, 0x81]) }
    }

    @Test("The order and the lengths of DM24 split a frame of DM25 into values")
    func frameValues() throws {
        let frame = try #require(try ExpandedFreezeFrames(bytes("08 6E 00 00 01 7B 68 13 64")).frames.first)
        // Engine load is not in the frame.
        let layout = try SupportedSPNs(bytes("6E 00 1C 01 BE 00 1C 02 5C 00 1D 01 33 00 1E 01"))
        let values = try #require(frame.values(by: layout))
        #expect(values.map(\.spn) == [110, 190, 51])
        #expect(ParameterGroup.signal(110)?.value(in: values[0].bytes)?.value == .number(83))
        #expect(ParameterGroup.signal(190)?.value(in: values[1].bytes)?.value == .number(621))
        #expect(ParameterGroup.signal(190)?.value(in: values[0].bytes) == nil)
        #expect(frame.values(by: try SupportedSPNs(bytes("6E 00 1C 01"))) == nil)
    }

    /// ScaledTestResultTest, DM30ScaledTestResultsPacketTest, and issue 1051 (SLOT 386).
    @Test(
        "DM30 has the value of a test, its limits and the verdict",
        arguments: [
            ("F7 BA 12 1F 20 00 01 FB FF FF FF FF", 4794, 31, 32, .impossible, nil, nil, nil, nil),
            ("F7 BC 12 1F 44 00 FF FA 00 F0 00 A0", 4796, 31, 68, .failed, 1734.96875, 1007, 1647, "°C"),
            ("F7 C1 0D 12 00 01 00 FB FF FF FF FF", 3521, 18, 256, .notRun, nil, nil, nil, nil),
            ("F7 BB 12 0C 8A 01 00 0C FF EF FF AF", 4795, 12, 394, .failed, -269.28, 150.55, 314.39, nil),
            ("F7 15 15 10 CE 00 FF 7F FF FF EE EE", 5397, 16, 206, .failed, 1.678, 3.132, nil, "s"),
            ("F7 15 15 10 CE 00 EE EE 80 00 FF FF", 5397, 16, 206, .failed, 3.132, nil, 0.007, "s"),
            ("F7 C7 14 02 1F 01 00 30 00 50 00 10", 5319, 2, 287, .passed, 983.04, 327.68, 1638.4, "g/L"),
            ("F7 15 15 10 CE 00 FF FA FF FA 00 00", 5397, 16, 206, .passed, 3.29, 0, 3.29, "s"),
            ("F7 A0 13 0B 12 00 30 00 50 00 30 00", 5024, 11, 18, .passed, 2.4, 2.4, 4, "kg/h"),
            ("F7 C7 14 02 1F 01 00 30 FF FF FF FF", 5319, 2, 287, .passed, 983.04, nil, nil, "g/L"),
            ("F7 22 0D 1F D0 00 B7 03 E8 03 20 03", 3362, 31, 208, .passed, 951, 800, 1000, "count"),
            ("F7 9D 00 10 82 01 D8 0F FF FF D0 07", 157, 16, 386, .passed, 560, -20_000, nil, "kPa"),
            ("F7 9D 00 12 82 01 D8 0F 70 17 FF FF", 157, 18, 386, .passed, 560, nil, 20_000, "kPa"),
        ] as [(String, SPN, FMI, UInt16, ScaledTestResult.Verdict, Double?, Double?, Double?, String?)]
    )
    func testResult(
        hex: String,
        spn: SPN,
        fmi: FMI,
        slot: UInt16,
        verdict: ScaledTestResult.Verdict,
        value: Double?,
        minimum: Double?,
        maximum: Double?,
        unit: String?
    ) throws {
        let results = try ScaledTestResult.decode(bytes(hex))
        let result = try #require(results.first)
        #expect(results.count == 1 && result.test == 247 && result.spn == spn && result.fmi == fmi)
        #expect(result.slot == slot && result.verdict == verdict)
        guard let value else { return }
        let scale = try #require(result.scale)
        #expect(scale.unit == unit)
        #expect(abs(scale.scaled(result.words.value) - value) <= 0.0006)
        for (limit, expected) in [(result.minimum, minimum), (result.maximum, maximum)] {
            #expect(limit.map { abs(scale.scaled($0) - (expected ?? .nan)) <= 0.0006 } ?? (expected == nil))
        }
    }

    @Test("DM30 has several results, and without a known SLOT they keep their verdict")
    func testResults() throws {
        let results = try ScaledTestResult.decode(
            bytes("F7 E4 0D 12 00 00 FF FA FF FA 00 00 F7 D4 02 02 84 00 00 00 00 00 00 00")
        )
        #expect(results.map(\.spn) == [3556, 724] && results.map(\.slot) == [0, 132])
        #expect(results.allSatisfy { $0.verdict == .passed && $0.scale == nil })
        #expect(throws: DecodingError.wrongLength(expected: 12...12, actual: 14)) {
            try ScaledTestResult.decode(bytes("F7 E4 0D 12 00 00 FF FA FF FA 00 00 F7 D4"))
        }
    }

    // MARK: - The others

    /// DM29DtcCountsTest.
    @Test("DM29 has the numbers of codes by their state")
    func codeCounts() throws {
        let counts = try CodeCounts(bytes("09 20 47 31 01 FF FF FF"))
        #expect(counts.pending == 9 && counts.allPending == 32 && counts.lampOn == 71)
        #expect(counts.previouslyLampOn == 49 && counts.permanent == 1)
        let none = try CodeCounts(bytes("FE FF FF FF FF FF FF FF"))
        #expect(none.pending == nil && none.permanent == nil)
        #expect(throws: DecodingError.wrongLength(expected: 5...8, actual: 4)) { try CodeCounts(bytes("00 00 00 00")) }
    }

    /// DM56EngineFamilyPacketTest.
    @Test(
        "DM56 has the model year and the engine family",
        arguments: [
            ("2011E-MYUS HD OBD", 2011, .engine, "US HD OBD"),
            ("2039V-MYCALIF HD OBD*", 2039, .vehicle, "CALIF HD OBD"),
            ("2039V-MYEURO VI/UNECE R49", 2039, .vehicle, "EURO VI/UNECE R49"),
        ] as [(String, Int, EngineFamily.Subject, String)]
    )
    func engineFamily(text: String, year: Int, subject: EngineFamily.Subject, name: String) throws {
        let family = try EngineFamily(Array(text.utf8))
        #expect(family.modelYear == year && family.subject == subject && family.name == name)
    }

    @Test("DM56 without a model year has no value", arguments: ["********", "20AAE-MY", "2011X-MY", "2011E-YY"])
    func noEngineFamily(text: String) {
        #expect(throws: DecodingError.notProgrammed) { try EngineFamily(Array(text.utf8)) }
    }

    /// DM22IndividualClearPacketTest: SPN 1208, FMI 3.
    @Test("DM22 has the code to clear, and the answer")
    func individualClear() throws {
        let request = try IndividualClear(bytes("01 FF FF FF FF B8 04 03"))
        #expect(request.kind == .previouslyActiveRequest && request.reason == nil)
        #expect(request.spn == 1208 && request.fmi == 3)
        #expect(try IndividualClear(bytes("02 FF FF FF FF B8 04 03")).kind == .previouslyActiveCleared)
        let refusal = try IndividualClear(bytes("13 04 FF FF FF FE FF E3"))
        #expect(refusal.kind == .activeRefused && refusal.reason == .noLongerActive && refusal.spn == 524_286)
        #expect(try IndividualClear(bytes("05 09 FF FF FF B8 04 03")).kind == nil)
    }

    /// DM11ClearActiveDTCsPacketTest and issue 1076.
    @Test(
        "An acknowledgment says what became of a request, such as DM11",
        arguments: [
            ("00 00 FF FF FF D3 FE 00", .acknowledged, nil), ("00 FF FF FF F9 D3 FE 00", .acknowledged, 0xF9),
            ("03 FF FF FF F9 D3 FE 00", .busy, 0xF9), ("01 FF FF FF F9 D3 FE 00", .refused, 0xF9),
            ("02 FF FF FF F9 D3 FE 00", .accessDenied, 0xF9), ("05 FF FF FF F9 D3 FE 00", nil, 0xF9),
        ] as [(String, Acknowledgment.Outcome?, UInt8?)]
    )
    func acknowledgment(hex: String, outcome: Acknowledgment.Outcome?, requester: UInt8?) throws {
        let answer = try Acknowledgment(bytes(hex))
        #expect(answer.outcome == outcome && answer.requester == requester && answer.group == .clearActiveCodes)
    }

    @Test("The group of an identifier has no destination, and its own last byte above EF")
    func identifiers() {
        #expect(PGN(identifier: 0x1CC2_F900) == .performance)
        #expect(PGN(identifier: 0x18E8_FF13) == .acknowledgment)
        #expect(PGN(identifier: 0x18FE_CE01) == .readiness)
        #expect(PGN(identifier: 0x60FE_CA21) == .activeCodes)
        #expect(Set(PGN.named.map(\.group)).count == PGN.named.count)
        #expect(PGN.named.allSatisfy { ParameterGroup.withPGN($0.group) == nil || $0.group == .tripReadiness })
    }
}
