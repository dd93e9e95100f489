// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import Drive

@Suite("Trips and what interrupts them")
struct TripGapTests {
    private static let later = MachineBoot(
        id: "two",
        start: Self.boot.start + .seconds(20_000),
        isSynchronised: true
    )
    private static var boot: MachineBoot { TestDrive.boot }

    @Test(
        "A link that is lost for less than five minutes splits no trip",
        arguments: [20, 59, 120, 299],
        [true, false]
    )
    func shortLoss(seconds: Int, hasRunTime: Bool) throws {
        var drive = TestDrive()
        drive.hasRunTime = hasRunTime
        let (before, start) = (drive.odometer, drive.now)
        drive.drive(70, for: 600)
        drive.drive(70, for: seconds, isRead: false)
        drive.actions += drive.recorder.timePassed(to: drive.now)
        drive.drive(70, for: 600)
        let end = drive.now
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(drive.trips.count == 1)
        #expect(isNear(trip.distance, drive.odometer - before, within: 0.01))
        #expect(trip.distanceSource == .odometer)
        #expect(isNear(trip.unobserved, Double(seconds + 1), within: 0.01))
        #expect(abs((trip.duration - (end - start)).seconds) <= 3)
    }

    @Test("After a longer loss the trip ends when it was last seen, and another one goes on from there")
    func longLoss() throws {
        var drive = TestDrive()
        let before = drive.odometer
        drive.drive(70, for: 600)
        let lost = drive.now
        drive.drive(70, for: 900, isRead: false)
        drive.actions += drive.recorder.timePassed(to: drive.now)
        #expect(drive.trips.count == 1 && drive.trips.first?.end.time == lost)
        drive.drive(70, for: 600)
        drive.park()
        try #require(drive.trips.count == 2)
        #expect(drive.trips[1].start.time == lost)
        let distance = drive.trips.compactMap(\.distance).reduce(0, +)
        #expect(isNear(distance, drive.odometer - before, within: 0.01))
    }

    @Test("A vehicle that is parked and started again while the link is lost has made two trips")
    func parkedInLoss() throws {
        var drive = TestDrive()
        drive.drive(50, for: 600)
        let end = drive.now
        drive.drive(0, for: 120, engine: 0, isRead: false)
        let start = drive.now
        drive.drive(0, for: 60, isRead: false)
        drive.drive(50, for: 600)
        drive.park()
        try #require(drive.trips.count == 2)
        #expect(drive.trips[0].end.time == end)
        #expect(abs((drive.trips[1].start.time - start).seconds) <= 2)
    }

    @Test("A trip that is detected late begins with its engine, where the last one has ended")
    func lateStart() throws {
        var drive = TestDrive()
        drive.drive(50, for: 600)
        drive.park()
        drive.wait(3600)
        let (before, start) = (drive.odometer, drive.now)
        drive.drive(40, for: 45, isRead: false)
        drive.drive(40, for: 900)
        drive.park()
        try #require(drive.trips.count == 2)
        #expect(abs((drive.trips[1].start.time - start).seconds) <= 2)
        #expect(isNear(drive.trips[1].distance, drive.odometer - before, within: 0.01))
        #expect(isNear(drive.trips[1].unobserved, 45, within: 0.05))
    }

    @Test("A lost adapter does not show that the vehicle is parked")
    func lostAdapter() {
        var drive = TestDrive()
        drive.drive(50, for: 100)
        drive.actions += drive.recorder.parkingChanged(isParked: true, isLost: true, isSilent: false)
        #expect(drive.trips.isEmpty)
        drive.wait(420)
        #expect(drive.trips.count == 1)
    }

    // MARK: - Restarts

    @Test("An agent that starts again goes on with the trip", arguments: [true, false])
    func restart(hasRunTime: Bool) throws {
        var drive = TestDrive()
        drive.hasRunTime = hasRunTime
        let (before, start) = (drive.odometer, drive.now)
        drive.drive(60, for: 400)
        drive.restart()
        drive.actions += drive.recorder.parkingChanged(isParked: true, isLost: false, isSilent: false)
        drive.drive(60, for: 15, isRead: false)
        drive.drive(60, for: 400)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(drive.trips.count == 1)
        #expect(isNear(trip.distance, drive.odometer - before, within: 0.01))
        #expect(abs((trip.start.time - start).seconds) <= 2)
        #expect(drive.recorder.totals.trips == 1)
    }

    @Test("After a power cut the dates of both boots bridge the gap")
    func datedPowerCut() throws {
        var drive = TestDrive()
        drive.hasRunTime = false
        drive.drive(60, for: 400)
        let before = drive.now
        drive.drive(60, for: 90, isRead: false)
        // The clock of the next boot begins anew.
        drive.reboot(after: .seconds(20_000))
        drive.restart(Self.boot, in: Self.later)
        drive.drive(60, for: 400)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(drive.trips.count == 1 && trip.boot == nil)
        #expect(abs((trip.end.time - drive.now).seconds) < 60)
        #expect(isNear(trip.duration.seconds, 890, within: 0.01))
        #expect(before > drive.now)
    }

    @Test("Without a right clock the engine's run time bridges it")
    func undatedPowerCut() throws {
        var (drive, next) = (TestDrive(), Self.later)
        next.isSynchronised = false
        drive.drive(60, for: 400)
        drive.drive(60, for: 90, isRead: false)
        drive.reboot(after: .seconds(9_900))
        drive.restart(Self.boot, in: next)
        drive.drive(60, for: 400)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(drive.trips.count == 1 && trip.boot == nil)
        #expect(isNear(trip.duration.seconds, 890, within: 0.01))
        #expect(isNear(trip.unobserved, 91, within: 0.03))
    }

    @Test("A clock that becomes right a moment later bridges it too")
    func lateDate() throws {
        var (drive, next) = (TestDrive(), Self.later)
        next.isSynchronised = false
        drive.hasRunTime = false
        drive.drive(60, for: 400)
        drive.drive(60, for: 60, isRead: false)
        drive.reboot(after: .seconds(20_000))
        drive.restart(Self.boot, in: next)
        drive.drive(60, for: 40)
        drive.recorder.clockSynchronised(Self.later)
        drive.drive(60, for: 400)
        drive.park()
        #expect(drive.trips.count == 1)
        #expect(isNear(drive.trips.first?.duration.seconds, 900, within: 0.01))
    }

    @Test("If nothing tells how long the machine was off, the trip has ended with the power")
    func unknownPowerCut() throws {
        var (drive, next) = (TestDrive(), Self.later)
        next.isSynchronised = false
        drive.hasRunTime = false
        drive.drive(60, for: 400)
        let end = drive.now
        drive.reboot(after: .seconds(9_900))
        drive.restart(Self.boot, in: next)
        drive.drive(60, for: 400)
        drive.park()
        try #require(drive.trips.count == 2)
        #expect(drive.trips[0].boot == Self.boot && drive.trips[0].end.time == end)
        #expect(drive.trips[1].boot == nil)
    }

    @Test("The usual end of a trip, a machine that loses its power with the ignition, is the last time it was seen")
    func powerWithIgnition() throws {
        var drive = TestDrive()
        drive.drive(60, for: 400)
        drive.drive(0, for: 5)
        let end = drive.now
        drive.drive(0, for: 1, engine: 0)
        drive.drive(0, for: 7200, engine: 0, isRead: false)
        drive.reboot(after: .seconds(20_000))
        drive.restart(Self.boot, in: Self.later)
        drive.drive(60, for: 400)
        drive.park()
        try #require(drive.trips.count == 2)
        #expect(drive.trips[0].end.time == end - .seconds(20_000))
    }

    @Test("A damaged memory is no memory")
    func damaged() {
        #expect(TripMemory(.null) == nil)
        #expect(TripMemory(["version": 2]) == nil)
        #expect(TripMemory(["version": 1, "boot": ["id": "x", "start": 1.0e300], "totals": [:]]) == nil)
    }

    @Test("What is stored is read back the same")
    func memory() throws {
        var drive = TestDrive(TripLimits(speed: 50))
        drive.drive(60, for: 400, charge: 50, power: 10)
        drive.park()
        drive.wait(3600)
        drive.drive(60, for: 400, charge: 40, power: 10)
        let memory = drive.recorder.memory(Self.boot)
        let json = memory.json
        let again = try #require(TripMemory(json))
        #expect(again.json == json)
        #expect(again.last == memory.last)
        #expect(again.open?.trip(isFinished: false) == memory.open?.trip(isFinished: false))
    }

    @Test("An agent that starts anew at a standstill knows both, the trip up to its end and the time since then")
    func restartAtStandstill() throws {
        var drive = TestDrive()
        drive.drive(60, for: 400, charge: 50, power: 10)
        let end = try #require(drive.recorder.shown)
        drive.drive(0, for: 100, engine: 0, charge: 50, power: 1)
        let memory = drive.recorder.memory(Self.boot)
        let again = try #require(TripMemory(memory.json))
        #expect(again.json == memory.json && again.present?.fuelWatched == end.fuelWatched)
        drive.restart()
        #expect(drive.recorder.shown?.meanSpeed == end.meanSpeed)
        drive.drive(60, for: 400, charge: 50, power: 10)
        drive.park()
        #expect(drive.trips.count == 1 && isNear(drive.trips.first?.fuelWatched, 898, within: 0.01))
    }
}
