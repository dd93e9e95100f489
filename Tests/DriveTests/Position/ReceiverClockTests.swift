// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("The clock of a receiver")
struct ReceiverClockTests {
    @Test("Five fixes whose times pass as the machine's do tell the time")
    func right() {
        var (drive, clock) = (ReceiverOnRoad(), ReceiverClock())
        let fixes = drive.fixes(6)
        let verdicts = fixes.map { clock.received($0) }
        #expect(verdicts.prefix(4).allSatisfy { $0 == .unknown })
        #expect(verdicts.suffix(2) == fixes.suffix(2).compactMap { $0.receiverTime.map { .right($0) } })
    }

    @Test("A date in a wrong week is no date", arguments: [-1024, 1024, 2048])
    func wrongWeek(weeks: Int) {
        var drive = ReceiverOnRoad()
        drive.date = drive.date + .seconds(weeks * 7 * 24 * 3600)
        var clock = ReceiverClock()
        #expect(drive.fixes(10).allSatisfy { clock.received($0) == .wrongWeek })
    }

    @Test("A time that stands still or leaps begins anew")
    func leap() {
        var (drive, clock) = (ReceiverOnRoad(), ReceiverClock())
        var verdicts: [ReceiverClock.Verdict] = []
        for step in 0..<20 {
            drive.drive()
            if step % 4 == 0 { drive.date = drive.date + .seconds(2) }
            verdicts.append(clock.received(drive.fix))
        }
        #expect(verdicts.allSatisfy { $0 == .unknown })
    }

    @Test("A receiver that tells no time confirms nothing")
    func timeless() {
        var (drive, clock) = (ReceiverOnRoad(), ReceiverClock())
        for fix in drive.fixes(10) {
            var fix = fix
            fix.receiverTime = nil
            #expect(clock.received(fix) == .unknown)
        }
    }
}
