// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Store

@Suite("The latest date that has certainly passed")
struct DateMemoryTests {
    /// A machine with its running time, its date in seconds, and its memory.
    private struct Machine {
        var memory = DateMemory()
        var now: Int64 = 0
        var date: Int64 = 1_800_000_000
        var quality = ClockQuality.synchronised

        /// Runs for some seconds, and notes the date every ten.
        mutating func run(_ seconds: Int64) {
            for step in 0...seconds / 10 {
                if step > 0 { (self.now, self.date) = (self.now + 10, self.date + 10) }
                let start = Timestamp(milliseconds: (self.date - self.now) * 1000)
                self.memory.note(
                    at: MonotonicTime(sinceBoot: .seconds(self.now)),
                    BootStart(date: start, quality: self.quality)
                )
            }
        }

        /// Starts again after some seconds off.
        mutating func reboot(after seconds: Int64) {
            let dates = self.memory.dates
            (self.memory, self.now, self.date) = (DateMemory(), 20, self.date + seconds)
            self.memory.dates = dates
        }

        /// The latest date; nil: none.
        var latest: Int64? { self.memory.dates.latest.map { $0.milliseconds / 1000 } }
    }

    private static let year: Int64 = 365 * 86_400

    @Test("A date counts after ten minutes, and from then on the current one")
    func patience() {
        var machine = Machine()
        machine.run(590)
        #expect(machine.latest == nil)
        machine.run(10)
        #expect(machine.latest == machine.date)
        machine.run(1000)
        #expect(machine.latest == machine.date)
    }

    @Test("An untrusted clock changes nothing", arguments: [-Self.year, Self.year])
    func untrusted(error: Int64) {
        var machine = Machine()
        machine.run(1000)
        let latest = machine.latest
        (machine.quality, machine.date) = (.unsynchronised, machine.date + error)
        machine.run(5000)
        #expect(machine.latest == latest)
    }

    @Test("A clock that jumps ahead for nine minutes, however often, changes nothing")
    func jumpAhead() {
        var machine = Machine()
        machine.run(1000)
        for years in 1...20 {
            machine.date += Int64(years) * Self.year
            machine.run(540)
            machine.date -= Int64(years) * Self.year
            machine.run(20)
            #expect(machine.latest.map { $0 <= machine.date } == true)
        }
        machine.run(600)
        #expect(machine.latest == machine.date)
    }

    @Test("A clock that is years ahead for nine minutes at each start changes nothing")
    func jumpAheadAtStart() {
        var machine = Machine()
        for _ in 1...20 {
            machine.date += Self.year
            machine.run(540)
            machine.date -= Self.year
            machine.run(700)
            #expect(machine.latest == machine.date)
            machine.reboot(after: 3600)
        }
    }

    @Test("A clock that is set back changes nothing, for however long it stays there and over restarts")
    func setBack() {
        var machine = Machine()
        machine.run(1000)
        let latest = machine.latest
        machine.date -= 30 * 86_400
        machine.run(7200)
        machine.reboot(after: 60)
        machine.run(7200)
        #expect(machine.latest == latest)
        machine.date += 30 * 86_400
        machine.run(600)
        #expect(machine.latest == machine.date)
    }

    @Test("Drives of eight minutes add up")
    func shortDrives() {
        var machine = Machine()
        for drive in 1...40 {
            machine.run(480)
            // The ten minutes take two drives, and the next ones begin at the end of them.
            if drive > 4 { #expect(machine.latest.map { machine.date - $0 < 4 * 86_400 } == true, "\(drive)") }
            #expect(machine.latest.map { $0 <= machine.date } ?? true)
            machine.reboot(after: 86_400)
        }
    }

    @Test("Corrections of seconds change nothing", arguments: [-20, -3, 3, 20] as [Int64])
    func corrections(step: Int64) {
        var machine = Machine()
        machine.run(1000)
        for _ in 1...20 {
            machine.date += step
            machine.run(900)
            // The latest date may be ahead by a correction, but never by more than the tolerance.
            #expect(machine.latest.map { abs(machine.date - $0) <= 60 } == true)
        }
    }
}
