// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import ELM327
@testable import Session

/// A vehicle with two ECUs, and the answers of these.
enum TwoECUs {
    static let engine = ECUAddress.can11(0x7E8)
    static let gearbox = ECUAddress.can11(0x7E9)

    static func vehicle(_ bus: BusProtocol = .can11at500) -> VehicleIdentity {
        var ecu = ECUIdentity()
        ecu.supported = SupportedPIDs([0x01, 0x05, 0x0C, 0x13, 0x41] as [PID])
        var other = ECUIdentity()
        other.supported = SupportedPIDs([0x01] as [PID])
        return VehicleIdentity(bus: bus, ecus: [Self.engine: ecu, Self.gearbox: other])
    }

    /// Returns the ECUs' answer to `errand`; a damaged answer has lost a part on the way.
    static func answer(
        _ errand: Errand?,
        _ replies: [ECUAddress: [[UInt8]]],
        damaged: Bool = false,
        of vehicle: VehicleIdentity = Self.vehicle()
    ) throws -> ErrandAnswer {
        let request = try #require(errand).request
        let answers = replies.mapValues { messages -> ECUReply in
            messages.first?.first == 0x7F ? .negative(messages[0][2]) : .positive(messages)
        }
        let outcome: BusOutcome = answers.isEmpty ? .noData : .answered(answers)
        return ErrandAnswer(BusResult(outcome: outcome, dropped: damaged ? 1 : 0), to: request, of: vehicle)
    }
}

@Suite("Reading freeze frames")
struct FreezeFrameReaderTests {
    private typealias Two = TwoECUs
    private static let misfire = DTC(rawValue: 0x0301)
    private static let gear = DTC(rawValue: 0x0741)

    /// Reads freeze frames with the `answers` to each request; a request without an answer stays silent.
    private func read(
        _ stored: [ECUAddress: [DTC]],
        _ answers: [String: [ECUAddress: [UInt8]]],
        damaged: Set<String> = [],
        reader: inout FreezeFrameReader,
        isThorough: Bool = false
    ) throws -> (frames: [ECUAddress: FreezeFrameReading], asked: [String]) {
        var asked: [String] = []
        let codes = stored.mapValues { $0.map(TroubleCode.j2012) }
        guard case .reading(let known) = reader.begin(codes, isThorough: isThorough) else { return ([:], []) }
        var frames = known
        while let errand = reader.next {
            try #require(asked.count < 500)
            let line = errand.request.description
            asked.append(line)
            let replies = (answers[line] ?? [:]).mapValues { [$0] }
            let answer = try Two.answer(errand, replies, damaged: damaged.contains(line))
            if case .complete(let all) = reader.answered(answer, from: Two.vehicle()) { frames = all }
        }
        return (frames, asked)
    }

    private static let answers: [String: [ECUAddress: [UInt8]]] = [
        "02 02 00": [Two.engine: [0x42, 2, 0, 0x03, 0x01], Two.gearbox: [0x42, 2, 0, 0x07, 0x41]],
        "02 00 00": [Two.engine: [0x42, 0, 0, 0x48, 0x10, 0, 0], Two.gearbox: [0x42, 0, 0, 0x40, 0x08, 0, 0]],
        "02 05 00": [Two.engine: [0x42, 5, 0, 0x7B]],
        "02 0C 00": [Two.engine: [0x42, 0x0C, 0, 0x1A, 0xF8]],
        "02 0D 00": [Two.gearbox: [0x42, 0x0D, 0, 0x32]],
    ]

    private static func values(_ frame: FreezeFrameReading?) -> [String: DecodedValue] {
        guard case .stored(_, let values, _) = frame else { return [:] }
        return Dictionary(values.map { ($0.field.name, $0.value) }) { first, _ in first }
    }

    @Test("Each ECU's frame has its own code and what it holds, each asked once")
    func whole() throws {
        var reader = FreezeFrameReader()
        let stored = [Two.engine: [Self.misfire], Two.gearbox: [Self.gear]]
        let (frames, asked) = try self.read(stored, Self.answers, reader: &reader)
        #expect(asked == ["02 02 00", "02 00 00", "02 05 00", "02 0C 00", "02 0D 00"])
        #expect(
            Self.values(frames[Two.engine]) == ["coolant_temperature": .number(83), "engine_speed": .number(1726)]
        )
        #expect(Self.values(frames[Two.gearbox]) == ["vehicle_speed": .number(50)])
        // The reader checks only the code of a known frame. On demand, it reads the whole frame again.
        #expect(try self.read(stored, Self.answers, reader: &reader).asked == ["02 02 00"])
        #expect(try self.read(stored, Self.answers, reader: &reader, isThorough: true).asked.count == 4)
    }

    @Test("Without stored codes nothing is asked; an ECU without codes is not asked for")
    func nothing() throws {
        var reader = FreezeFrameReader()
        #expect(reader.begin([Two.engine: []], isThorough: true) == .nothingToRead && reader.next == nil)
        let (frames, _) = try self.read([Two.gearbox: [Self.gear]], Self.answers, reader: &reader)
        #expect(Set(frames.keys) == [Two.gearbox])
    }

    @Test("No frame, no such service and an answer that can't be read are three things")
    func differ() throws {
        for (message, damaged, expected) in [
            ([0x42, 2, 0, 0, 0], false, FreezeFrameReading.none), ([0x7F, 2, 0x11], false, .notSupported),
            ([0x7F, 2, 0x22], false, .failed), ([0x42, 2, 0, 3], false, .failed), (nil, false, .notSupported),
            (nil, true, .failed),
        ] as [([UInt8]?, Bool, FreezeFrameReading)] {
            var reader = FreezeFrameReader()
            let answers = message.map { ["02 02 00": [Two.engine: $0]] } ?? [:]
            let damage: Set<String> = damaged ? ["02 02 00"] : []
            let (frames, asked) = try self.read([Two.engine: [Self.misfire]], answers, damaged: damage, reader: &reader)
            #expect(frames == [Two.engine: expected], "\(String(describing: message))")
            #expect(asked.count <= FreezeFrameReader.attemptLimit)
        }
    }

    @Test("A value that is announced and missing is named; the others stand")
    func missing() throws {
        var reader = FreezeFrameReader()
        var answers = Self.answers
        answers["02 05 00"] = [Two.engine: [0x42, 5, 0, 0x7B, 0]]
        answers["02 0D 00"] = [:]
        let stored = [Two.engine: [Self.misfire], Two.gearbox: [Self.gear]]
        let (frames, asked) = try self.read(stored, answers, reader: &reader)
        #expect(asked == ["02 02 00", "02 00 00", "02 05 00", "02 05 00", "02 0C 00", "02 0D 00", "02 0D 00"])
        guard case .stored(Self.misfire, let values, let unread) = frames[Two.engine] else {
            Issue.record("no frame")
            return
        }
        #expect(values.map(\.field.name) == ["engine_speed"] && unread == [0x05])
        #expect(frames[Two.gearbox] == .stored(Self.gear, values: [], unread: [0x0D]))
    }
}

@Suite("Reading the results of tests")
struct MonitorReaderTests {
    private typealias Two = TwoECUs

    private func read(
        _ bus: BusProtocol,
        _ answers: [String: [ECUAddress: [[UInt8]]]],
        damaged: Set<String> = []
    ) throws -> (tests: [ECUAddress: TestReading], asked: [String]) {
        let vehicle = Two.vehicle(bus)
        var reader = MonitorReader()
        reader.begin(vehicle)
        var asked: [String] = []
        while let errand = reader.next {
            try #require(asked.count < 500)
            let line = errand.request.description
            asked.append(line)
            let answer = try Two.answer(
                errand,
                answers[line] ?? [:],
                damaged: damaged.contains(line),
                of: vehicle
            )
            if case .complete(_, let tests) = reader.answered(answer, from: vehicle) { return (tests, asked) }
        }
        return ([:], asked)
    }

    private static let can: [String: [ECUAddress: [[UInt8]]]] = [
        "06 00": [Two.engine: [[0x46, 0, 0x80, 0, 0, 1]]], "06 20": [Two.engine: [[0x46, 0x20, 0x80, 0, 0, 0]]],
        "06 01": [Two.engine: [[0x46, 1, 5, 0x10, 0, 72, 0, 0, 0, 100]]],
        "06 21": [Two.engine: [[0x46, 0x21, 0x80, 0x20, 0, 230, 0, 0, 0, 192]]],
    ]

    private static func verdicts(_ reading: TestReading?) -> [MonitorTest.Verdict] {
        guard case .read(let results, _) = reading else { return [] }
        return results.compactMap { result in
            switch result {
            case .monitor(let test): test.verdict
            case .component(let test): test.verdict
            case .oxygenSensor(let test, _): test.verdict
            }
        }
    }

    @Test("On CAN what is announced is asked, and an ECU that is silent twice has none")
    func onCAN() throws {
        let (tests, asked) = try self.read(.can11at500, Self.can)
        #expect(asked == ["01 41", "06 00", "06 00", "06 20", "06 01", "06 21"])
        #expect(Self.verdicts(tests[Two.engine]) == [.passed, .failed] && tests[Two.gearbox] == .notSupported)
    }

    @Test("What could not be read is said, and is not none")
    func unreadable() throws {
        var answers = Self.can
        answers["06 21"] = [Two.engine: [[0x46, 0x21, 0x80, 0x20, 0, 230, 0, 0]]]
        guard case .read(let results, let unread) = try self.read(.can11at500, answers).tests[Two.engine] else {
            Issue.record("nothing was read")
            return
        }
        #expect(results.count == 1 && unread == 1)
        #expect(try self.read(.can11at500, Self.can, damaged: ["06 00"]).tests[Two.gearbox] == .failed)
        answers["06 00"] = [Two.engine: [[0x7F, 6, 0x22]]]
        #expect(try self.read(.can11at500, answers).tests[Two.engine] == .failed)
        #expect(try self.read(.can11at500, [:]).tests == [Two.engine: .notSupported, Two.gearbox: .notSupported])
    }

    @Test("On the older buses service 05 tells of each oxygen sensor, and service 06 in raw numbers")
    func older() throws {
        let (tests, asked) = try self.read(
            .iso9141,
            [
                "06 00": [Two.engine: [[0x46, 0, 0xFF, 0x80, 0, 0, 0]]],
                "06 01": [Two.engine: [[0x46, 1, 3, 1, 0, 2, 0], [0x46, 1, 0x83, 1, 0, 2, 0]]],
                "01 13": [Two.engine: [[0x41, 0x13, 0x03]]],
                "05 00 01": [Two.engine: [[0x45, 0, 1, 0x88, 0, 0, 0]]],
                "05 01 01": [Two.engine: [[0x45, 1, 1, 90]]], "05 05 01": [Two.engine: [[0x45, 5, 1, 18, 0, 25]]],
            ]
        )
        #expect(asked == ["01 41", "06 00", "06 01", "01 13", "05 00 01", "05 01 01", "05 05 01", "05 00 02"])
        #expect(Self.verdicts(tests[Two.engine]) == [.passed, .failed, .passed])
        guard case .read(let results, 0) = tests[Two.engine] else { return }
        let constant = OxygenSensorTest(test: 1, sensor: 1, raw: .constant(90))
        #expect(results.contains(.oxygenSensor(constant, sensor: "B1S1")))
    }

    @Test("A vehicle that announces all there can be is asked a bounded number of times")
    func bounded() throws {
        var answers: [String: [ECUAddress: [[UInt8]]]] = [:]
        for base in stride(from: UInt8(0), through: 0xE0, by: 0x20) {
            let request = Request.monitorTests(MonitorID(rawValue: base)).description
            answers[request] = [Two.engine: [[0x46, base, 0xFF, 0xFF, 0xFF, 0xFF]]]
        }
        let (tests, asked) = try self.read(.can11at500, answers)
        #expect(asked.count == MonitorReader.requestLimit)
        guard case .read([], let unread) = tests[Two.engine] else {
            Issue.record("\(tests)")
            return
        }
        #expect(unread == 255 - 7)
    }
}
