// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import TestSupport
import Testing

@testable import Drive

@Suite("The totals of all trips")
struct TripTotalsTests {
    /// A disk that takes what was saved some readings later, and a power cut that may come at any time.
    private struct Disk {
        var written: TripMemory?
        private var waiting: (memory: TripMemory, rest: Int)?

        mutating func save(_ memory: TripMemory) {
            // A newer state replaces one that waits.
            self.waiting = (memory, self.waiting?.rest ?? 10)
        }

        /// Lets time pass, and returns the state that was written.
        mutating func tick() -> TripMemory? {
            guard let waiting = self.waiting else { return nil }
            self.waiting = waiting.rest > 1 ? (waiting.memory, waiting.rest - 1) : nil
            guard waiting.rest <= 1 else { return nil }
            self.written = waiting.memory
            return waiting.memory
        }

        mutating func losePower() { self.waiting = nil }
    }

    private static func isAtLeast(_ totals: TripTotals, _ earlier: TripTotals) -> Bool {
        totals.raised(to: earlier) == totals
    }

    @Test("They never decrease, whenever the power is cut", arguments: 0..<30 as Range<UInt64>)
    func powerCuts(seed: UInt64) throws {
        var numbers = SeededNumbers(seed)
        var (drive, disk, told) = (TestDrive(), Disk(), TripTotals())
        drive.resolution = [0.1, 1].randomElement(using: &numbers) ?? 1
        drive.hasRunTime = Bool.random(using: &numbers)
        for _ in 0..<2000 {
            switch Int.random(in: 0..<200, using: &numbers) {
            case 0:
                disk.losePower()
                drive.actions = []
                drive.now = drive.now + .seconds(Int.random(in: 2...60, using: &numbers))
                drive.recorder = TripRecorder(TripLimits())
                if let memory = disk.written {
                    let stored = try #require(TripMemory(memory.json))
                    drive.recorder.restore(stored, TestDrive.boot, at: drive.now)
                }
            case 1: drive.park()
            case 2: drive.drive(60, for: Int.random(in: 10...400, using: &numbers), isRead: false)
            default: drive.drive(Double.random(in: 0...90, using: &numbers), for: 1)
            }
            for action in drive.actions {
                switch action {
                case .begin, .save: disk.save(drive.recorder.memory(TestDrive.boot))
                case .finish:
                    // The event and the state are one commit.
                    disk.losePower()
                    disk.written = drive.recorder.memory(TestDrive.boot)
                    disk.written.map { drive.recorder.totalsWritten($0.told) }
                case .update: break
                }
            }
            drive.actions = []
            if let memory = disk.tick() { drive.recorder.totalsWritten(memory.told) }
            #expect(Self.isAtLeast(drive.recorder.told, told))
            told = drive.recorder.told
        }
        #expect(told.distance > 5 && told.fuel > 0 && told.trips > 0)
    }

    @Test("What is not on the disk is not told")
    func unwritten() {
        var drive = TestDrive()
        drive.drive(60, for: 300)
        #expect(drive.recorder.told == TripTotals())
        let memory = drive.recorder.memory(TestDrive.boot)
        #expect(isNear(memory.told.distance, 5, within: 0.02))
        drive.recorder.totalsWritten(memory.told)
        drive.drive(60, for: 60)
        #expect(drive.recorder.told == memory.told)
    }

    @Test("A process that starts again saves the present trip with its first reading")
    func restart() {
        var drive = TestDrive()
        drive.hasRunTime = true
        drive.drive(60, for: 300)
        drive.restart()
        drive.actions = []
        drive.drive(60, for: 5)
        #expect(drive.actions.count { $0 == .save } == 1)
    }
}
