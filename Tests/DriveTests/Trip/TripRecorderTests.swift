// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import Drive

@Suite("Trips")
struct TripRecorderTests {
    @Test("A drive between two parkings is one trip, with its distance, its times and its fuel")
    func ordinary() throws {
        var drive = TestDrive()
        let (before, start) = (drive.odometer, drive.now)
        drive.drive(0, for: 60)
        drive.drive(50, for: 600)
        drive.drive(0, for: 120)
        drive.drive(90, for: 300)
        drive.drive(0, for: 30)
        let end = drive.now
        drive.drive(0, for: 20, engine: 0)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(drive.trips.count == 1)
        #expect(isNear(trip.distance, drive.odometer - before, within: 0.005))
        #expect(abs((trip.start.time - start).seconds) <= 2 && abs((trip.end.time - end).seconds) <= 2)
        #expect(isNear(trip.moving, 900, within: 0.01))
        #expect(isNear(trip.idling, 210, within: 0.02))
        #expect(trip.stopped < 3 && trip.unobserved == 0)
        #expect(isNear(trip.fuel, drive.fuel, within: 0.01))
        #expect(trip.fuelSource == "fuel_flow")
        #expect(trip.maximumSpeed == 90)
        #expect(isNear(trip.fuelConsumption, drive.fuel / (drive.odometer - before) * 100, within: 0.01))
        #expect(trip.coolantAtStart == 14 && isNear(trip.start.fuelLevel, 60, within: 0.001))
        #expect(trip.engineSpeeds?.seconds.reduce(0, +) ?? 0 > 1100)
        #expect(drive.recorder.totals.trips == 1 && drive.recorder.totals.distance == trip.distance)
    }

    @Test(
        "The begin is told once the vehicle has moved, the state each second, and the end once; it is saved each minute"
    )
    func reports() {
        var drive = TestDrive()
        drive.drive(0, for: 300)
        #expect(drive.actions.isEmpty)
        drive.drive(60, for: 300)
        drive.drive(0, for: 5, engine: 0)
        drive.park()
        let kinds = drive.actions.compactMap { action in
            switch action {
            case .begin: "begin"
            case .update: nil as String?
            case .save: "save"
            case .finish: "finish"
            }
        }
        #expect(kinds == ["begin"] + Array(repeating: "save", count: 5) + ["finish"])
        #expect((290...300).contains(drive.actions.count - kinds.count))
    }

    @Test(
        "An engine that runs at standstill, an ignition that is only on, and a car wash are no trips",
        arguments: [(0.0, 900.0), (0, 0), (1.2, 0)]
    )
    func standstill(speed: Double, engine: Double) {
        var drive = TestDrive()
        drive.drive(speed, for: 240, engine: engine)
        drive.park()
        drive.wait(600)
        #expect(drive.trips.isEmpty)
        #expect(drive.recorder.shown == nil)
        // The fuel was used all the same.
        #expect(isNear(drive.recorder.totals.fuel, drive.fuel, within: 0.02))
        #expect(drive.recorder.totals.distance < 0.1)
    }

    @Test("An engine that stops at lights, and a drive with a hybrid's motor, end no trip")
    func startStop() throws {
        var drive = TestDrive()
        drive.hasRunTime = false
        for _ in 1...5 {
            drive.drive(50, for: 100)
            drive.drive(0, for: 90, engine: 0)
            drive.drive(30, for: 60, engine: 0)
        }
        drive.drive(0, for: 30, engine: 0)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(drive.trips.count == 1)
        #expect(isNear(trip.stopped, 450, within: 0.05) && trip.idling == 0)
        #expect(isNear(trip.fuel, drive.fuel, within: 0.01))
    }

    @Test("Codes that come and go in a trip are told with it")
    func codes() throws {
        var drive = TestDrive()
        drive.recorder.codesChanged(appeared: ["P0101"], gone: [])
        drive.drive(50, for: 100)
        drive.recorder.codesChanged(appeared: ["P0301"], gone: [])
        drive.recorder.codesChanged(appeared: [], gone: ["P0420", "P0420"])
        drive.drive(50, for: 100)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.codesAppeared == ["P0301"])
        #expect(trip.codesGone == ["P0420"])
    }

    @Test("Another vehicle ends the trip")
    func vehicle() {
        var drive = TestDrive()
        drive.drive(50, for: 100)
        drive.actions += drive.recorder.vehicleChanged()
        #expect(drive.trips.count == 1)
        #expect(drive.recorder.totals.trips == 1)
    }

    @Test("A place before the trip is its start, and the last one its end")
    func places() throws {
        var drive = TestDrive()
        let places = [0, 1].map { Coordinate.at(48 + Double($0), 11) }
        drive.recorder.placeReceived(places[0], at: drive.now)
        drive.drive(50, for: 300)
        drive.recorder.placeReceived(places[1], at: drive.now)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.start.place == places[0] && trip.end.place == places[1])
    }

    @Test("Places after the last sign of a drive are none of the trip, as those of a vehicle that is towed")
    func towed() throws {
        var drive = TestDrive()
        let places = [0, 1, 2].map { Coordinate.at(48 + Double($0), 11) }
        drive.recorder.placeReceived(places[0], at: drive.now)
        drive.drive(50, for: 300)
        drive.recorder.placeReceived(places[1], at: drive.now + .seconds(1))
        drive.recorder.placeReceived(places[2], at: drive.now + .seconds(60))
        drive.recorder.placeReceived(nil, at: drive.now + .seconds(200))
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.start.place == places[0] && trip.end.place == places[1])
    }

    @Test("Energy out of the battery and back into it is told apart, whatever its sign", arguments: [1.0, -1])
    func energy(sign: Double) throws {
        var drive = TestDrive()
        drive.hasRunTime = false
        drive.drive(60, for: 600, engine: 0, charge: 80, power: 12 * sign)
        drive.drive(60, for: 100, engine: 0, charge: 78, power: -18 * sign)
        drive.drive(0, for: 200, engine: 0, charge: 78, power: 3 * sign)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(isNear(trip.energy, 2, within: 0.01))
        #expect(isNear(trip.regenerated, 0.5, within: 0.01))
        #expect(trip.energySource == .power)
        #expect(trip.start.stateOfCharge == 80 && trip.end.stateOfCharge == 78)
    }

    @Test("What follows the last sign of a drive changes no figure, unless the drive goes on")
    func standstillAtTheEnd() throws {
        var drive = TestDrive()
        drive.drive(40, for: 80, charge: 50, power: 10)
        drive.drive(0, for: 9, charge: 50, power: 1)
        let end = try #require(drive.recorder.shown)
        drive.drive(0, for: 280, engine: 0, charge: 50, power: 1)
        let parked = try #require(drive.recorder.shown)
        // The place and the levels are the newest ones; all else counts up to the end.
        #expect(parked == end)
        #expect(isNear(parked.meanSpeed, 40 * 80.0 / 89, within: 0.02) && isNear(parked.fuelWatched, 88, within: 0.02))
        #expect(isNear(parked.energyWatched, 88, within: 0.02) && parked.engineSpeeds?.seconds.reduce(0, +) ?? 0 < 89)
        drive.drive(40, for: 80, charge: 50, power: 10)
        let again = try #require(drive.recorder.shown)
        #expect(isNear(again.fuelWatched, 448, within: 0.02) && isNear(again.energyWatched, 448, within: 0.02))
        #expect(isNear(again.meanSpeed, 40 * 160.0 / 448, within: 0.02) && isNear(again.stopped, 280, within: 0.02))
        drive.park()
        #expect(drive.trips.first?.fuelConsumption != nil && drive.trips.first?.meanSpeed == again.meanSpeed)
    }

    @Test("A standstill after the end is no reason for a consumption of a trip in which the fuel was not known")
    func fuelAtTheEnd() throws {
        var drive = TestDrive()
        drive.interval = 20
        drive.drive(60, for: 200)
        drive.interval = 1
        drive.drive(0, for: 2)
        drive.drive(0, for: 300, engine: 0)
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(trip.fuelConsumption == nil && trip.fuelWatched ?? 0 < 5)
    }

    @Test("A trip has one start: a run time in whole seconds does not move it")
    func oneStart() throws {
        var drive = TestDrive()
        drive.now = drive.now + .microseconds(437_912)
        drive.drive(60, for: 20, isRead: false)
        var starts: Set<MonotonicTime> = []
        for milliseconds in [937, 103, 211, 177, 350] {
            drive.now = drive.now + .milliseconds(milliseconds)
            drive.drive(60, for: 20)
            if let start = drive.recorder.shown?.start.time { starts.insert(start) }
        }
        drive.park()
        let trip = try #require(drive.trips.first)
        #expect(starts == [trip.start.time])
        // In whole milliseconds, so that the duration leads from the end to the same start.
        #expect(trip.start.time.sinceBoot == .milliseconds(trip.start.time.sinceBoot.milliseconds))
        #expect(trip.duration == .milliseconds(trip.duration.milliseconds))
    }

    @Test("Harsh maneuvers are counted each once, and not at all where the speed is read too rarely")
    func maneuvers() throws {
        for interval in [1, 5] {
            var drive = TestDrive(TripLimits(speed: 85))
            drive.interval = interval
            drive.drive(50, for: 200)
            for _ in 1...3 {
                for step in 1...10 { drive.drive(Double(step * 9), for: 1) }
                drive.drive(90, for: 30)
                for step in 1...4 { drive.drive(Double(90 - step * 18), for: 1) }
                drive.drive(20, for: 30)
            }
            drive.park()
            let trip = try #require(drive.trips.first)
            #expect(trip.harshBrakings == (interval == 1 ? 4 : nil), "\(interval)")
            #expect(trip.overSpeeds == (interval == 1 ? 3 : nil), "\(interval)")
        }
    }
}
