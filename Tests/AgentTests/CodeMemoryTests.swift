// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import ELM327
import OBD2
import Session
import Store
import Testing

@testable import Agent

@Suite("The time at which a code was first seen, over restarts of the agent")
struct CodeMemoryTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let misfire = TroubleCode.j2012(DTC(rawValue: 0x0301))

    /// A clock of the machine's present boot.
    private struct Clock: CalendarClock {
        var start: Int64
        var quality = ClockQuality.synchronised
        var now: MonotonicTime { .zero }

        func sleep(until deadline: MonotonicTime) async throws {}
        func timestamp(of time: MonotonicTime) -> Timestamp {
            Timestamp(milliseconds: self.start * 1000) + time.sinceBoot
        }
    }

    private static func reading(_ time: Int, stored: [TroubleCode]?, permanent: [TroubleCode]? = []) -> CodeReading {
        func list(_ codes: [TroubleCode]?) -> CodeList { codes.map { .read([Self.engine: $0]) } ?? .failed }
        return CodeReading(
            lists: [.stored: list(stored), .pending: list([]), .permanent: list(permanent)],
            monitors: [:],
            time: MonotonicTime(sinceBoot: .seconds(time))
        )
    }

    /// Reads codes with one process after another, each of which takes over what the one before has stored.
    private struct Processes {
        private var stored: [UInt8]?
        /// The events of the last reading, as the kind and the code.
        private(set) var events: [String] = []
        private var diagnostics = VehicleDiagnostics(
            ContractMapping(clock: Clock(start: 0), isImperial: false),
            boot: ""
        )

        mutating func restart(boot: String, _ clock: Clock) {
            self.diagnostics = VehicleDiagnostics(ContractMapping(clock: clock, isImperial: false), boot: boot)
            self.diagnostics.restore(self.stored)
        }

        /// Returns the second at which each present code was first seen.
        mutating func read(_ reading: CodeReading) -> [Int64] {
            let (report, events, state) = self.diagnostics.codesRead(reading)
            self.events = events.map { "\($0.event.rawValue) \($0.ecu ?? "") \($0.code ?? "")" }
            self.keep(state)
            return report.codes.map { $0.firstSeen.milliseconds / 1000 }
        }

        mutating func passTime() { self.keep(self.diagnostics.timePassed()) }

        private mutating func keep(_ state: StoredState?) {
            if let state, state.kind == .codes { self.stored = state.body }
        }
    }

    @Test("It survives a restart of the agent and of the machine")
    func restarts() {
        var processes = Processes()
        processes.restart(boot: "one", Clock(start: 1000))
        #expect(processes.read(Self.reading(5, stored: [Self.misfire])) == [1005])
        processes.restart(boot: "one", Clock(start: 1000))
        #expect(processes.read(Self.reading(60, stored: [Self.misfire])) == [1005])
        processes.restart(boot: "two", Clock(start: 9000))
        #expect(processes.read(Self.reading(3, stored: [Self.misfire])) == [1005])
        #expect(processes.read(Self.reading(4, stored: [Self.misfire], permanent: [Self.misfire])) == [1005])
    }

    @Test("A code that was gone begins anew, also if it went while the agent did not run")
    func gone() {
        var processes = Processes()
        processes.restart(boot: "one", Clock(start: 1000))
        _ = processes.read(Self.reading(5, stored: [Self.misfire]))
        #expect(processes.events == ["code_found 7E8 P0301"])
        #expect(processes.read(Self.reading(6, stored: [])) == [])
        #expect(processes.events == ["code_gone 7E8 P0301"])
        #expect(processes.read(Self.reading(7, stored: [Self.misfire])) == [1007])
        processes.restart(boot: "one", Clock(start: 1000))
        #expect(processes.read(Self.reading(8, stored: nil)) == [])
        #expect(processes.events.isEmpty)
        #expect(processes.read(Self.reading(8, stored: [])) == [])
        #expect(processes.events == ["code_gone 7E8 P0301"])
        processes.restart(boot: "one", Clock(start: 1000))
        #expect(processes.read(Self.reading(9, stored: [Self.misfire])) == [1009])
    }

    @Test("A list that could not be read ends nothing")
    func unread() {
        var processes = Processes()
        processes.restart(boot: "one", Clock(start: 1000))
        _ = processes.read(Self.reading(5, stored: [], permanent: [Self.misfire]))
        processes.restart(boot: "one", Clock(start: 1000))
        #expect(processes.read(Self.reading(6, stored: [], permanent: nil)) == [])
        #expect(processes.read(Self.reading(7, stored: [], permanent: [Self.misfire])) == [1005])
    }

    @Test("The date is that of the synchronized clock; without one, a time ends with the boot of the machine")
    func dates() {
        var processes = Processes()
        let unset = Clock(start: 50, quality: .unsynchronised)
        processes.restart(boot: "one", unset)
        #expect(processes.read(Self.reading(5, stored: [Self.misfire])) == [55])
        processes.restart(boot: "one", Clock(start: 1000))
        #expect(processes.read(Self.reading(9, stored: [Self.misfire])) == [1005])
        processes.restart(boot: "two", Clock(start: 2000))
        #expect(processes.read(Self.reading(1, stored: [Self.misfire])) == [1005])
        var others = Processes()
        others.restart(boot: "one", unset)
        _ = others.read(Self.reading(5, stored: [Self.misfire]))
        others.passTime()
        others.restart(boot: "two", Clock(start: 2000))
        #expect(others.read(Self.reading(1, stored: [Self.misfire])) == [2001])
    }

    @Test(
        "A damaged state is none",
        arguments: ["", "7", #"{"codes": []}"#, #"{"codes": {"7E8 P0301": {"since": 5}}}"#]
    )
    func damaged(text: String) {
        #expect(CodeMemory(JSON(payload: Array(text.utf8)), boot: "one") == CodeMemory())
    }
}
