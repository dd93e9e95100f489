// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive

// The payloads of trips.
extension TripReport {
    /// - Parameter clock: tells the dates of start and end; nil leaves them out.
    init(_ trip: Trip, clock: (any CalendarClock)? = nil) {
        self.init(
            start: Point(trip.start, of: trip, clock),
            end: Point(trip.end, of: trip, clock),
            // To the millisecond, so that it leads from the end to the very start.
            duration: Self.rounded(trip.duration.seconds, 3),
            moving: Self.rounded(trip.moving, 0),
            idling: Self.rounded(trip.idling, 0),
            stopped: Self.rounded(trip.stopped, 0),
            unobserved: Self.rounded(trip.unobserved, 0)
        )
        self.distance = trip.distance.map { Self.rounded($0, 2) }
        self.distanceSource = trip.distanceSource?.rawValue
        self.distanceError = trip.distanceError.map { Self.rounded($0, 2) }
        self.distanceObserved = trip.distanceWatched.map { Self.rounded($0, 3) }
        self.meanSpeed = trip.meanSpeed.map { Self.rounded($0, 1) }
        self.maximumSpeed = trip.maximumSpeed.map { Self.rounded($0, 1) }
        self.fuel = trip.fuel.map { Self.rounded($0, 3) }
        self.fuelSource = trip.fuelSource
        self.fuelObserved = trip.fuelWatched.map { Self.rounded($0, 0) }
        self.fuelConsumption = trip.fuelConsumption.map { Self.rounded($0, 1) }
        self.energy = trip.energy.map { Self.rounded($0, 3) }
        self.regenerated = trip.regenerated.map { Self.rounded($0, 3) }
        self.energySource = trip.energySource?.rawValue
        self.energyObserved = trip.energyWatched.map { Self.rounded($0, 0) }
        self.energyConsumption = trip.energyConsumption.map { Self.rounded($0, 1) }
        self.engineSpeed = trip.engineSpeeds.map(Bands.init)
        self.engineLoad = trip.engineLoads.map(Bands.init)
        self.coolantTemperature = trip.coolantAtStart.map { Self.rounded($0, 1) }
        self.harshBraking = trip.harshBrakings
        self.harshAcceleration = trip.harshAccelerations
        self.overSpeed = trip.overSpeeds
        self.codesAppeared = trip.codesAppeared.isEmpty ? nil : trip.codesAppeared
        self.codesGone = trip.codesGone.isEmpty ? nil : trip.codesGone
    }

    fileprivate static func rounded(_ value: Double, _ places: Int) -> Double {
        let factor = [1.0, 10, 100, 1000, 10_000, 100_000][places]
        return (value * factor).rounded() / factor
    }
}

extension TripReport.Point {
    fileprivate init(_ point: TripPoint, of trip: Trip, _ clock: (any CalendarClock)?) {
        self.init()
        self.time = clock.map { clock in
            trip.boot.map { $0.start + point.time.sinceBoot } ?? clock.timestamp(of: point.time)
        }
        self.odometer = point.odometer.map { TripReport.rounded($0, 1) }
        self.latitude = point.place.map { TripReport.rounded($0.latitude, 5) }
        self.longitude = point.place.map { TripReport.rounded($0.longitude, 5) }
        self.stateOfCharge = point.stateOfCharge.map { TripReport.rounded($0, 1) }
        self.fuelLevel = point.fuelLevel.map { TripReport.rounded($0, 1) }
    }
}

extension TripReport.Bands {
    fileprivate init(_ bands: TimeBands) {
        self.init(bounds: bands.bounds, seconds: bands.seconds.map { TripReport.rounded($0, 0) })
    }
}

extension TripState {
    /// - Parameter showsPlace: whether the place of a trip that goes on is told.
    init(_ trip: Trip, _ totals: TripTotals, showsPlace: Bool, clock: any CalendarClock) {
        var trip = trip
        if !trip.isFinished, !showsPlace { trip.end.place = nil }
        self.init(
            time: clock.timestamp,
            clock: trip.boot.map { $0.isSynchronised ? .synchronised : .unsynchronised } ?? clock.quality,
            ongoing: !trip.isFinished,
            trip: TripReport(trip, clock: clock),
            totals: Totals(totals)
        )
    }
}

extension TripState.Totals {
    init(_ totals: TripTotals) {
        let hasEnergy = totals.energy > 0
        self.init(
            trips: totals.trips,
            distance: TripReport.rounded(totals.distance, 2),
            fuel: totals.fuel > 0 ? TripReport.rounded(totals.fuel, 3) : nil,
            energy: hasEnergy ? TripReport.rounded(totals.energy, 3) : nil,
            regenerated: hasEnergy ? TripReport.rounded(totals.regenerated, 3) : nil
        )
    }
}
