// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Testing

@testable import Agent

@Suite("Codes that come and go")
struct CodeHistoryTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let misfire = TroubleCode.j2012(DTC(rawValue: 0x0301))
    private static let catalyst = TroubleCode.j2012(DTC(rawValue: 0x0420))

    private static func reading(
        _ time: Int,
        stored: [TroubleCode]?,
        pending: [TroubleCode]? = [],
        permanent: [TroubleCode]? = []
    ) -> CodeReading {
        func list(_ codes: [TroubleCode]?) -> CodeList { codes.map { .read([Self.engine: $0]) } ?? .failed }
        return CodeReading(
            lists: [.stored: list(stored), .pending: list(pending), .permanent: list(permanent)],
            monitors: [:],
            time: MonotonicTime(sinceBoot: .seconds(time))
        )
    }

    private static func key(_ code: TroubleCode) -> CodeHistory.Key { CodeHistory.Key(ecu: Self.engine, code: code) }

    /// The second since the boot at which a code was first seen.
    private static func firstSeen(_ code: TroubleCode, in history: CodeHistory) -> Int64? {
        history.firstSeen(Self.engine, code, by: StandingClock()).map { $0.milliseconds / 1000 }
    }

    @Test("What is there at first was found, what comes later has appeared, and what goes is gone")
    func life() {
        var history = CodeHistory(boot: "b")
        #expect(history.update(Self.reading(1, stored: [Self.misfire])) == [.found(Self.key(Self.misfire), [.stored])])
        #expect(history.update(Self.reading(2, stored: [Self.misfire])) == [])
        let both = Self.reading(3, stored: [Self.misfire, Self.catalyst], permanent: [Self.catalyst])
        #expect(history.update(both) == [.appeared(Self.key(Self.catalyst), [.stored, .permanent])])
        #expect(Self.firstSeen(Self.misfire, in: history) == 1)
        #expect(Self.firstSeen(Self.catalyst, in: history) == 3)
        #expect(
            history.update(Self.reading(4, stored: [])) == [
                .gone(Self.key(Self.misfire), [.stored]), .gone(Self.key(Self.catalyst), [.stored, .permanent]),
            ]
        )
        #expect(Self.firstSeen(Self.misfire, in: history) == nil)
        #expect(
            history.update(Self.reading(5, stored: [Self.misfire])) == [.appeared(Self.key(Self.misfire), [.stored])]
        )
        #expect(Self.firstSeen(Self.misfire, in: history) == 5)
    }

    @Test("A code of a list that lacks some ECU's answer appears, and none is gone from it")
    func incomplete() {
        var history = CodeHistory(boot: "b")
        _ = history.update(Self.reading(1, stored: [Self.misfire]))
        var reading = Self.reading(2, stored: nil)
        reading.lists[.stored] = .incomplete([Self.engine: [Self.catalyst]])
        #expect(history.update(reading) == [.appeared(Self.key(Self.catalyst), [.stored])])
        #expect(Self.firstSeen(Self.misfire, in: history) == 1)
        #expect(history.update(Self.reading(3, stored: [Self.misfire, Self.catalyst])) == [])
    }

    @Test("A code of two ECUs is two")
    func ecus() {
        var history = CodeHistory(boot: "b")
        _ = history.update(Self.reading(1, stored: []))
        let other = ECUAddress.can11(0x7E9)
        let reading = CodeReading(
            lists: [.stored: .read([Self.engine: [Self.misfire], other: [Self.misfire]])],
            monitors: [:],
            time: .zero
        )
        #expect(history.update(reading).count == 2)
    }

    @Test("A reading without the stored codes says nothing at all")
    func unknown() {
        var history = CodeHistory(boot: "b")
        _ = history.update(Self.reading(1, stored: [Self.misfire]))
        #expect(history.update(Self.reading(2, stored: nil, pending: [Self.catalyst])) == [])
        #expect(Self.firstSeen(Self.catalyst, in: history) == nil)
        #expect(history.update(Self.reading(3, stored: [Self.misfire])) == [])
    }

    @Test("A list that could not be read says nothing about what stood in it")
    func unread() {
        var history = CodeHistory(boot: "b")
        _ = history.update(Self.reading(1, stored: [Self.misfire], pending: [Self.catalyst], permanent: [Self.misfire]))
        #expect(history.update(Self.reading(2, stored: [Self.misfire], pending: nil, permanent: nil)) == [])
        // Not stored any more, and whether it is permanent was not read: it may well be there.
        #expect(history.update(Self.reading(3, stored: [], pending: nil, permanent: nil)) == [])
        #expect(
            history.update(Self.reading(4, stored: [])) == [
                .gone(Self.key(Self.misfire), [.permanent]), .gone(Self.key(Self.catalyst), [.pending]),
            ]
        )
    }

    @Test("What stands in a list that is read for the first time has not appeared either")
    func lateList() {
        var history = CodeHistory(boot: "b")
        _ = history.update(Self.reading(1, stored: [], pending: nil))
        let found = history.update(Self.reading(2, stored: [], pending: [Self.catalyst]))
        #expect(found == [.found(Self.key(Self.catalyst), [.pending])])
        let next = Self.reading(3, stored: [], pending: [Self.catalyst, Self.misfire])
        #expect(history.update(next) == [.appeared(Self.key(Self.misfire), [.pending])])
    }
}
