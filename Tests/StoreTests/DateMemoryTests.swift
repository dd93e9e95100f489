// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Testing
import Base

@testable import Store

@Suite("The latest date that has certainly passed")
struct DateMemoryTests {
    /// A machine: its running time, its date in seconds, and what it remembers.
    private struct Machine {
        var memory = DateMemory()
        var now: Int64 = 0
        var date: Int64 = 1_800_000_000
        var quality = ClockQuality.synchronised

        /// Runs for some seconds and looks every ten.
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

        /// Is off for some seconds, and starts anew.
        mutating func reboot(after seconds: Int64) {
            let kept = self.memory.kept
            (self.memory, self.now, self.date) = (DateMemory(), 20, self.date + seconds)
            self.memory.kept = kept
        }

        /// The latest date; nil: none.
        var latest: Int64? { self.memory.kept.latest.map { $0.milliseconds / 1000 } }
    }

    private static let year: Int64 = 365 * 86_400

    @Test("A date counts after ten minutes, and the present one from then on")
    func patience() {
        var machine = Machine()
        machine.run(590)
        #expect(machine.latest == nil)
        machine.run(10)
        #expect(machine.latest == machine.date)
        machine.run(1000)
        #expect(machine.latest == machine.date)
    }

    @Test("A clock that nobody trusts says nothing", arguments: [-Self.year, Self.year])
    func untrusted(error: Int64) {
        var machine = Machine()
        machine.run(1000)
        let latest = machine.latest
        (machine.quality, machine.date) = (.unsynchronised, machine.date + error)
        machine.run(5000)
        #expect(machine.latest == latest)
    }

    @Test("A clock that jumps ahead for nine minutes, however often, leaves nothing behind")
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

    @Test("A clock that begins years ahead at each start, for nine minutes, leaves nothing behind either")
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
            // It may have been ahead by a correction, and never by more than what is tolerated.
            #expect(machine.latest.map { abs(machine.date - $0) <= 60 } == true)
        }
    }
}
