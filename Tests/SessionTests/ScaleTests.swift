// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Simulator
import Testing

@testable import ELM327
@testable import Session

@Suite("The conventions of the ECUs in a session")
struct ScaleTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let gearbox = ECUAddress.can11(0x7E9)

    private struct Run {
        var asked: [String] = []
        var samples: [Sample] = []
        var unscaled: [PID] = []

        func values(_ name: String, of ecu: ECUAddress = ScaleTests.engine) -> [DecodedValue] {
            self.samples.filter { $0.value.field.name == name && $0.ecu == ecu }.map(\.value.value)
        }
    }

    /// Runs an agenda against answers by request; a request without one stays silent.
    ///
    /// - Parameter losing: the number of answers of the engine that are lost, by request.
    private static func run(
        _ agenda: inout SessionAgenda,
        _ answers: [String: [ECUAddress: String]],
        losing: [String: Int] = [:],
        for duration: Duration = .seconds(20)
    ) -> Run {
        var run = Run()
        var losses = losing
        var now = MonotonicTime(sinceBoot: .zero)
        while now < MonotonicTime(sinceBoot: duration) {
            switch agenda.next(at: now) {
            case .wait(let due): now = max(due, now + .milliseconds(1))
            case .tryAdapter: agenda.trials.isPending = false
            case .ask(let question):
                now = now + .milliseconds(100)
                let request = question.request?.description ?? ""
                run.asked.append(request)
                var replies = (answers[request] ?? [:]).mapValues(Self.reply)
                if let left = losses[request], left > 0 {
                    losses[request] = left - 1
                    replies[Self.engine] = nil
                }
                let result = BusResult(outcome: replies.isEmpty ? .noData : .answered(replies), dropped: 0)
                guard case .proceed(let events) = agenda.answered(question, result, at: now) else { return run }
                for event in events {
                    if case .samples(let samples) = event { run.samples += samples }
                    if case .unscaled(let pid, _) = event { run.unscaled.append(pid) }
                }
            }
        }
        return run
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = digits.compactMap(\.hexDigitValue).map { UInt8($0) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func reply(_ digits: String) -> ECUReply {
        let bytes = Self.bytes(digits)
        return bytes[0] == 0x7F ? .negative(bytes[2]) : .positive([bytes])
    }

    private static func agenda(
        _ answers: [String: [ECUAddress: String]],
        _ intervals: [ParameterKey: Duration],
        known: KnownVehicle? = nil
    ) -> SessionAgenda {
        var report = AdapterReport()
        report.bus = .can11at500
        report.ecus = (answers["01 00"] ?? [:]).mapValues { [Self.bytes($0)] }
        return SessionAgenda(report, selection: Selection(intervals: intervals), known: known)
    }

    /// An engine with PIDs 01, 0B, 0C, 34 and 4F, and a gearbox with 01 and 0B.
    private static let answers: [String: [ECUAddress: String]] = [
        "01 00": [Self.engine: "4100 80300001", Self.gearbox: "4100 80200000"],
        "01 20": [Self.engine: "4120 00001001"], "01 40": [Self.engine: "4140 00020000"],
        "01 01": [Self.engine: "4101 00000000", Self.gearbox: "4101 00000000"],
        "01 0B": [Self.engine: "410B 64", Self.gearbox: "410B 64"], "01 0C": [Self.engine: "410C 0CB2"],
        "01 34": [Self.engine: "4134 0A9A8100"], "01 4F": [Self.engine: "414F 20000028"],
    ]
    private static let intervals: [ParameterKey: Duration] = [
        0x0B: .seconds(1), 0x0C: .seconds(1), 0x34: .seconds(1),
    ]

    @Test("No value is published before its scale is known, and each ECU has its own")
    func scales() throws {
        var agenda = Self.agenda(Self.answers, Self.intervals)
        let run = Self.run(&agenda, Self.answers)
        #expect(run.asked.count { $0 == "01 4F" } == 1 && run.unscaled.isEmpty)
        let lambda = run.values("o2_sensor_pump_b1s1_lambda")
        #expect(lambda.count > 5 && Set(lambda) == [.number(Double(0x0A9A * 32) / 65535)])
        let pressure = run.values("intake_manifold_pressure")
        #expect(pressure.count > 5 && Set(pressure) == [.number(Double(0x64 * 400) / 255)])
        #expect(Set(run.values("intake_manifold_pressure", of: Self.gearbox)) == [.number(100)])
    }

    @Test("A value that came before its scale is requested again at once, whatever its interval")
    func early() throws {
        var answers = Self.answers
        // With a VIN one poll comes before the bitmaps.
        answers["09 02"] = [Self.engine: "490201 3144344750303052353542313233343536"]
        var agenda = Self.agenda(answers, [0x0B: .seconds(3600)])
        let run = Self.run(&agenda, answers)
        let first = try #require(run.asked.firstIndex(of: "01 0B"))
        let scale = try #require(run.asked.firstIndex(of: "01 4F"))
        #expect(first < scale)
        #expect(run.values("intake_manifold_pressure") == [.number(Double(0x64 * 400) / 255)])
    }

    @Test("A known vehicle is polled at once, and what scales its values is read anew, because it may have changed")
    func known() throws {
        var answers = Self.answers
        answers["09 02"] = [Self.engine: "490201 3144344750303052353542313233343536"]
        var first = Self.agenda(answers, Self.intervals)
        _ = Self.run(&first, answers)
        let known = try #require(first.knowable)
        // The maximum pressure is the standard's 255 kPa now.
        answers["01 4F"] = [Self.engine: "414F 20000000"]
        var agenda = Self.agenda(answers, Self.intervals, known: known)
        let run = Self.run(&agenda, answers)
        let order = try ["09 02", "01 0B", "01 4F", "01 20"].map { try #require(run.asked.firstIndex(of: $0), "\($0)") }
        #expect(order == order.sorted() && order[2] == order[1] + 1, "\(run.asked.prefix(9))")
        #expect(run.values("intake_manifold_pressure").count > 5)
        #expect(Set(run.values("intake_manifold_pressure")) == [.number(100)])
        // The engine does not have PID 4F any more.
        answers["01 40"] = [Self.engine: "4140 80000000"]
        answers["01 4F"] = nil
        var later = Self.agenda(answers, Self.intervals, known: known)
        _ = Self.run(&later, answers, for: .seconds(60))
        #expect(later.isReady && !later.identity.supports(0x4F) && later.knowable != known)
        // Another vehicle with the same ECUs is mapped before it is polled again.
        answers["09 02"] = [Self.engine: "490201 3144344750303052353542313233343537"]
        var other = Self.agenda(answers, Self.intervals, known: known)
        let strange = Self.run(&other, answers)
        #expect(strange.asked.prefix(6).contains("01 20") && !other.identity.supports(0x4F))
    }

    @Test("An ECU that does not answer PID 4F has no values of unknown scale; all others are published")
    func silent() {
        var answers = Self.answers
        answers["01 4F"] = nil
        var agenda = Self.agenda(answers, Self.intervals)
        let run = Self.run(&agenda, answers, for: .seconds(60))
        #expect(run.asked.count { $0 == "01 4F" } == ECUMapping.immediate.maxima && run.unscaled == [0x4F])
        #expect(run.values("o2_sensor_pump_b1s1_lambda").isEmpty && run.values("intake_manifold_pressure").isEmpty)
        #expect(run.values("engine_speed").count > 5)
        #expect(run.values("intake_manifold_pressure", of: Self.gearbox).count > 5)
        #expect(agenda.isReady && agenda.unsupported == [0x34])
    }

    @Test("A scale whose answers were lost is requested again once a minute, and then its values are published")
    func lostMaxima() {
        var agenda = Self.agenda(Self.answers, Self.intervals)
        let lost = Self.run(&agenda, Self.answers, losing: ["01 4F": 4], for: .seconds(200))
        #expect(lost.asked.count { $0 == "01 4F" } == 5 && lost.unscaled == [0x4F])
        #expect(Set(lost.values("o2_sensor_pump_b1s1_lambda")) == [.number(Double(0x0A9A * 32) / 65535)])
        #expect(lost.values("intake_manifold_pressure").count > 20 && agenda.unsupported.isEmpty)
        // The requests have an end.
        var never = Self.answers
        never["01 4F"] = nil
        agenda = Self.agenda(never, Self.intervals)
        let run = Self.run(&agenda, never, for: .seconds(3000))
        #expect(run.asked.count { $0 == "01 4F" } == 13)
        #expect(run.values("intake_manifold_pressure").isEmpty)
    }

    @Test("A bitmap whose answers were lost hides no scale: the values wait until it is known", arguments: [2, 3, 5])
    func lostBitmap(losses: Int) {
        var agenda = Self.agenda(Self.answers, Self.intervals)
        let run = Self.run(&agenda, Self.answers, losing: ["01 40": losses], for: .seconds(120))
        #expect(run.asked.count { $0 == "01 40" } == losses + 1 && run.asked.count { $0 == "01 4F" } == 1)
        #expect(Set(run.values("intake_manifold_pressure")) == [.number(Double(0x64 * 400) / 255)])
        #expect(run.values("o2_sensor_pump_b1s1_lambda").count > 5 && agenda.unsupported.isEmpty)
        // The other values, and those of other ECUs, do not wait.
        #expect(run.values("engine_speed").count > 80)
        #expect(run.values("intake_manifold_pressure", of: Self.gearbox).count > 80)
    }

    @Test("An announced bitmap is absent if the ECU refuses it, or is silent on seven requests")
    func absentBitmap() {
        var answers = Self.answers
        answers["01 40"] = nil
        var agenda = Self.agenda(answers, Self.intervals)
        let silent = Self.run(&agenda, answers, for: .seconds(400))
        #expect(silent.asked.count { $0 == "01 40" } == ECUMapping.silenceLimit)
        #expect(Set(silent.values("intake_manifold_pressure")) == [.number(100)])
        let count = silent.values("intake_manifold_pressure").count
        #expect(count > 100 && count < 300)
        answers["01 40"] = [Self.engine: "7F0112"]
        agenda = Self.agenda(answers, Self.intervals)
        let refusing = Self.run(&agenda, answers)
        #expect(refusing.asked.count { $0 == "01 40" } == 1)
        #expect(refusing.values("intake_manifold_pressure").count > 5)
    }

    @Test("An ECU without PID 4F has the standard scale, and is not asked for another")
    func standard() {
        var answers = Self.answers
        answers["01 40"] = [Self.engine: "4140 00000000"]
        var agenda = Self.agenda(answers, Self.intervals)
        let run = Self.run(&agenda, answers)
        #expect(!run.asked.contains("01 4F"))
        #expect(Set(run.values("intake_manifold_pressure")) == [.number(100)])
    }

    @Test("With PID 1D a sensor is requested by its own PID, and has its name")
    func fourBanks() {
        // PIDs 01, 0C, 14 to 17 and 1D: two sensors in each of two banks.
        let answers: [String: [ECUAddress: String]] = [
            "01 00": [Self.engine: "4100 80101E08"], "01 01": [Self.engine: "4101 00000000"],
            "01 0C": [Self.engine: "410C 0CB2"], "01 14": [Self.engine: "4114 5A80"],
            "01 16": [Self.engine: "4116 B4FF"], "01 17": [Self.engine: "4117 5AFF"],
        ]
        var agenda = Self.agenda(answers, [0x14: .seconds(1), 0x16: .seconds(1), 0x18: .seconds(1)])
        let run = Self.run(&agenda, answers)
        #expect(Parameter.named("o2_sensor_b2s1")?.pid == 0x18)
        #expect(run.asked.contains("01 16") && !run.asked.contains("01 18"))
        #expect(Set(run.values("o2_sensor_b2s1_voltage")) == [.number(0.9)])
        #expect(Set(run.values("o2_sensor_b1s1_voltage")) == [.number(0.45)])
        #expect(agenda.unsupported == [0x16])
        #expect(agenda.pollable.isSuperset(of: [0x14, 0x15, 0x18, 0x19]) && !agenda.pollable.contains(0x17))
    }

    @Test("A freeze frame has the scale and the sensors of its ECU")
    func freezeFrame() throws {
        var engine = ECUIdentity()
        engine.supported = SupportedPIDs([0x01, 0x0B, 0x16, 0x1D, 0x4F] as [PID])
        engine.maxima = [0x4F: [0, 0, 0, 0x28]]
        let vehicle = VehicleIdentity(bus: .can11at500, ecus: [Self.engine: engine])
        let answers = [
            "02 02 00": "4202000301", "02 00 00": "42000000200400",
            "02 0B 00": "420B0064", "02 16 00": "421600B4FF",
        ]
        var reader = FreezeFrameReader()
        _ = reader.begin([Self.engine: [.j2012(DTC(rawValue: 0x0301))]], isThorough: true)
        var frames: [ECUAddress: FreezeFrameReading] = [:]
        for _ in 0..<20 {
            guard let errand = reader.next else { break }
            let reply = answers[errand.request.description].map { ECUReply.positive([Self.bytes($0)]) }
            let outcome: BusOutcome = reply.map { .answered([Self.engine: $0]) } ?? .noData
            let answer = ErrandAnswer(BusResult(outcome: outcome, dropped: 0), to: errand.request, of: vehicle)
            if case .complete(let all) = reader.answered(answer, from: vehicle) { frames = all }
        }
        guard case .stored(_, let values, _) = frames[Self.engine] else {
            Issue.record("no frame in \(frames)")
            return
        }
        let named = Dictionary(values.map { ($0.field.name, $0.value) }) { first, _ in first }
        #expect(named["intake_manifold_pressure"] == .number(Double(0x64 * 400) / 255))
        #expect(named["o2_sensor_b2s1_voltage"] == .number(0.9))
    }

    @Test("A simulated vehicle with maxima has plausible values from the first one on")
    func simulated() async throws {
        var options = SimulatedVehicle.Options()
        options.maxima = [0x4F: [0x20, 0, 0, 0x28], 0x50: [0x64, 0, 0, 0]]
        let rig = Rig(
            [0x0B: .seconds(1), 0x0C: .seconds(1), 0x10: .seconds(1), 0x44: .seconds(1)],
            vehicle: options
        )
        let log = try await rig.run(for: .seconds(60))
        let limits = [
            "commanded_equivalence_ratio": 0.9...2.0, "intake_manifold_pressure": 15.0...110.0,
            "mass_air_flow": 0.0...200.0,
        ]
        for (name, range) in limits {
            let values = log.samples.filter { $0.value.field.name == name }.map(\.value.value)
            #expect(values.count > 20, "\(name)")
            for case .number(let number) in values { #expect(range.contains(number), "\(name)") }
        }
        #expect(log.unscaled.isEmpty && log.lines.contains { $0.hasPrefix("014F") })
    }
}
