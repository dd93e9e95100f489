// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import ELM327
@testable import Session

@Suite("What a connected vehicle is asked")
struct SessionAgendaTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let gearbox = ECUAddress.can11(0x7E9)

    /// A vehicle as a table of the ECUs' answers to each request; a request without an entry stays silent.
    private struct Table {
        var bus = BusProtocol.can11at500
        var answers: [String: [ECUAddress: ECUReply]] = [:]
        /// The requests whose answers lose a line on the way.
        var damaged: Set<String> = []

        subscript(request: String) -> [ECUAddress: ECUReply] {
            get { self.answers[request] ?? [:] }
            set { self.answers[request] = newValue }
        }

        func machine(_ intervals: [ParameterKey: Duration] = [0x0C: .seconds(1)]) -> SessionAgenda {
            var report = AdapterReport()
            report.bus = self.bus
            for (ecu, reply) in self["01 00"] {
                if case .positive(let messages) = reply { report.ecus[ecu] = messages }
            }
            return SessionAgenda(report, selection: Selection(intervals: intervals))
        }
    }

    fileprivate struct Run {
        var asked: [String] = []
        var identities: [VehicleIdentity] = []
        var readings: [CodeReading] = []
        var end: SessionError?
    }

    /// Runs the machine, and answers each request from the table after 100 ms.
    private static func run(
        _ machine: inout SessionAgenda,
        _ table: Table,
        from start: Duration = .zero,
        for duration: Duration
    ) -> Run {
        var run = Run()
        var now = MonotonicTime(sinceBoot: start)
        let end = now + duration
        while now < end {
            switch machine.next(at: now) {
            case .wait(let due): now = max(due, now + .milliseconds(1))
            case .tryAdapter: machine.trials.isPending = false
            case .ask(let question):
                now = now + .milliseconds(100)
                let request = question.request?.description ?? ""
                run.asked.append(request)
                let answers = table[request]
                let outcome: BusOutcome = answers.isEmpty ? .noData : .answered(answers)
                let dropped = table.damaged.contains(request) ? 1 : 0
                switch machine.answered(question, BusResult(outcome: outcome, dropped: dropped), at: now) {
                case .proceed(let events): run.take(events)
                case .startOver(let error, let events):
                    run.take(events)
                    run.end = error
                    return run
                }
            }
        }
        return run
    }

    private static func table(_ bus: BusProtocol = .can11at500, counting count: UInt8 = 0) -> Table {
        let ecu = bus.isCAN ? Self.engine : .legacy(0x10)
        var table = Table(bus: bus)
        // The vehicle supports PIDs 01, 0C and 0D, and no PID above.
        table["01 00"] = [ecu: .positive([[0x41, 0x00, 0x80, 0x18, 0, 0]])]
        table["01 01"] = [ecu: .positive([[0x41, 0x01, count, 0, 0, 0]])]
        table["01 0C"] = [ecu: .positive([[0x41, 0x0C, 0x0C, 0xB2]])]
        return table
    }

    private static func vin(_ text: String) -> ECUReply { .positive([[0x49, 0x02, 1] + Array(text.utf8)]) }

    @Test("A bitmap that is announced and not answered is asked seven times, and hides nobody else's")
    func deadBitmap() {
        var table = Self.table()
        table["01 00"] = [
            Self.engine: .positive([[0x41, 0x00, 0x80, 0x18, 0, 1]]),
            Self.gearbox: .positive([[0x41, 0x00, 0x80, 0, 0, 1]]),
        ]
        table["01 20"] = [Self.engine: .positive([[0x41, 0x20, 0, 0, 0, 1]])]
        table["01 40"] = [Self.engine: .positive([[0x41, 0x40, 0x40, 0, 0, 0]])]
        var machine = table.machine()
        let run = Self.run(&machine, table, for: .seconds(600))
        #expect(run.asked.count { $0 == "01 20" } == ECUMapping.silenceLimit)
        #expect(run.asked.count { $0 == "01 40" } == 1)
        #expect(machine.identity.supports(0x42) && machine.identity.supports(0x0C))
    }

    @Test("An ECU that was missed at first is asked what it has once it is heard")
    func lateECU() {
        var table = Self.table()
        var machine = table.machine([0x0C: .seconds(1), 0x05: .seconds(1)])
        table["01 00"][Self.gearbox] = .positive([[0x41, 0x00, 0x08, 0, 0, 0]])
        var late = table
        late["01 00"] = [Self.engine: .positive([[0x41, 0x00, 0x80, 0x18, 0, 0]])]
        _ = Self.run(&machine, late, for: .seconds(20))
        #expect(!machine.identity.supports(0x05))
        table["01 01"][Self.gearbox] = .positive([[0x41, 0x01, 0, 0, 0, 0]])
        let run = Self.run(&machine, table, from: .seconds(20), for: .seconds(20))
        #expect(machine.identity.supports(0x05) && run.asked.contains("01 05"))
        #expect(run.identities.last?.ecus.count == 2)
    }

    @Test("A vehicle without a VIN is asked for it three times in all, and identified without")
    func noVIN() {
        let table = Self.table()
        var machine = table.machine()
        #expect(!machine.isIdentified)
        let run = Self.run(&machine, table, for: .seconds(120))
        #expect(run.asked.count { $0 == "09 02" } == 3)
        #expect(machine.isIdentified && run.identities.allSatisfy { $0.vin == nil })
    }

    @Test("A vehicle without a VIN is identified once its calibrations are known, and before anything is polled")
    func noVINButCalibrations() throws {
        var table = Self.table()
        let calibration = [0x49, 0x04, 1] + Array("37805-RAA-A010".utf8) + [0, 0]
        table["09 04"] = [Self.engine: .positive([calibration])]
        var machine = table.machine()
        let run = Self.run(&machine, table, for: .seconds(120))
        #expect(run.identities.first?.fingerprint == ["7E8 37805-RAA-A010"])
        #expect(run.identities.first?.fingerprint == run.identities.last?.fingerprint)
        let asked = try #require(run.asked.firstIndex(of: "09 04"))
        #expect(asked < run.asked.firstIndex(of: "01 0C") ?? 0)
    }

    @Test("A VIN that arrives damaged names nobody: the session begins anew")
    func damagedVIN() {
        var table = Self.table()
        table.damaged = ["09 02"]
        var machine = table.machine()
        let run = Self.run(&machine, table, for: .seconds(60))
        #expect(run.end == .vehicleUnidentified && !machine.isIdentified)
        #expect(run.identities.isEmpty && !run.asked.contains("01 0C"))
        #expect(run.asked.count { $0 == "09 02" } == Identification.damagedVINLimit)
    }

    @Test("Two ECUs with different VINs are a vehicle without one; with the same, they have it")
    func twoVINs() {
        var table = Self.table()
        let first = "1D4GP00R55B123456"
        for (second, vin) in [("WVWZZZ1JZ3W386752", nil), (first, first)] {
            table["09 02"] = [Self.engine: Self.vin(first), Self.gearbox: Self.vin(second)]
            var machine = table.machine()
            let run = Self.run(&machine, table, for: .seconds(30))
            #expect(run.identities.last?.vin?.description == vin)
        }
    }

    @Test(
        "On the older buses silence means no codes only where every ECU counts none",
        arguments: [
            (.iso9141, 0x00, true), (.iso9141, 0x81, false), (.j1850VPW, 0x00, true), (.can11at500, 0x00, false),
        ] as [(BusProtocol, UInt8, Bool)]
    )
    func silence(bus: BusProtocol, count: UInt8, known: Bool) {
        var table = Self.table(bus, counting: count)
        var machine = table.machine()
        let run = Self.run(&machine, table, for: .seconds(5))
        #expect(run.readings.first?.isKnown == known)
        #expect(run.readings.first?.lists[.stored] == (known ? .read([:]) : .failed))
        // The earlier code count is no longer valid.
        table["01 01"] = [:]
        machine.readCodes()
        let again = Self.run(&machine, table, from: .seconds(5), for: .seconds(2))
        #expect(again.readings.last?.isKnown == false && again.readings.last?.monitors.isEmpty == true)
    }

    @Test("A list without an ECU that has codes in it is not read, and incomplete if an ECU refuses it")
    func missing() {
        var table = Self.table(counting: 0x81)
        table["01 00"][Self.gearbox] = .positive([[0x41, 0x00, 0x80, 0, 0, 0]])
        let none: ECUReply = .positive([[0x43, 0]])
        let codes: ECUReply = .positive([[0x43, 1, 0x03, 0x01]])
        for (answers, list) in [
            ([Self.gearbox: none], .failed),
            ([Self.engine: .negative(0x22), Self.gearbox: none], .failed),
            (
                [Self.engine: codes, Self.gearbox: .negative(0x22)],
                .incomplete([Self.engine: [.j2012(DTC(rawValue: 0x0301))]])
            ),
            ([Self.engine: .positive([[0x43, 2, 0x03, 0x01]]), Self.gearbox: none], .failed),
            (
                [Self.engine: codes, Self.gearbox: .negative(0x11)],
                .read([Self.engine: [.j2012(DTC(rawValue: 0x0301))]])
            ),
            ([Self.engine: codes], .read([Self.engine: [.j2012(DTC(rawValue: 0x0301))]])),
        ] as [([ECUAddress: ECUReply], CodeList)] {
            table["03"] = answers
            var machine = table.machine()
            #expect(Self.run(&machine, table, for: .seconds(5)).readings.first?.lists[.stored] == list)
        }
    }

    @Test("What could not be read is read again after a minute, and only then")
    func reread() {
        var table = Self.table(counting: 0x01)
        var machine = table.machine()
        let first = Self.run(&machine, table, for: .seconds(50))
        #expect(first.readings.map(\.isKnown) == [false])
        table["03"] = [Self.engine: .positive([[0x43, 1, 0x03, 0x01]])]
        let second = Self.run(&machine, table, from: .seconds(50), for: .seconds(200))
        // The session reports the codes at once, and again with the freeze frames.
        #expect(second.readings.map(\.isKnown) == [true, true] && Set(second.readings.map(\.time)).count == 1)
        #expect((second.readings.first?.time ?? .zero).sinceBoot < .seconds(80))
    }

    @Test("Another MIL or code count reads the codes; the same again does not")
    func change() {
        var table = Self.table()
        table["03"] = [Self.engine: .positive([[0x43, 0]])]
        var machine = table.machine()
        #expect(Self.run(&machine, table, for: .seconds(100)).readings.count == 1)
        table["01 01"] = [Self.engine: .positive([[0x41, 0x01, 0x81, 0, 0, 0]])]
        table["03"] = [Self.engine: .positive([[0x43, 1, 0x03, 0x01]])]
        let again = Self.run(&machine, table, from: .seconds(100), for: .seconds(100)).readings
        #expect(again.count == 2 && Set(again.map(\.time)).count == 1)
    }

    @Test("A vehicle that says nothing any more is gone within seconds; one that still answers PID 01 is not")
    func gone() {
        let table = Self.table()
        var machine = table.machine()
        _ = Self.run(&machine, table, for: .seconds(10))
        var silent = table
        silent["01 0C"] = [:]
        var patient = machine
        #expect(Self.run(&patient, silent, from: .seconds(10), for: .seconds(300)).end == nil)
        #expect(patient.unsupported == [0x0C])
        for request in ["01 00", "01 01", "09 02", "09 04"] { silent[request] = [:] }
        machine.select(Selection(intervals: [0x0C: .seconds(1), 0x0D: .seconds(1)]))
        let run = Self.run(&machine, silent, from: .seconds(10), for: .seconds(300))
        #expect(run.end == .vehicleSilent && run.asked.count < 12)
    }
}

extension SessionAgendaTests.Run {
    fileprivate mutating func take(_ events: [SessionEvent]) {
        for event in events {
            switch event {
            case .identified(let identity): self.identities.append(identity)
            case .codes(let reading): self.readings.append(reading)
            default: break
            }
        }
    }
}
