// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// A trip that goes on.
///
/// A trip may end at any time. Then its last sign of a drive was its end, and later readings do not count.
struct OpenTrip: Hashable, Sendable {
    /// The shortest distance of a trip in km.
    static let shortest = 0.1
    /// The time after the start in which a first reading still tells the state at the start.
    private static let startWindow = Duration.seconds(120)
    /// The largest error of the engine's start by its run time, which has whole seconds.
    private static let startError = Duration.seconds(2)
    /// The time without a speed that leaves the integral of the speed complete: in seconds, and as a share.
    private static let completeness = (seconds: 5.0, share: 0.005)

    var start: TripPoint
    /// The newest state.
    var end: TripPoint
    /// The time of the first reading.
    var firstSeen: MonotonicTime
    /// The time of the last reading, and of the last sign of a drive.
    var lastSeen: MonotonicTime
    var lastSign: MonotonicTime
    /// The boot whose clock has these times; nil for the current one.
    var boot: MachineBoot?
    /// Whether consumers know of the trip.
    var isAnnounced = false
    /// The sums up to the newest reading, which are those of the trip once the drive goes on.
    var newest = TripFigures()
    /// The sums up to the last sign of a drive: those of the trip if it has ended there.
    var figures = TripFigures()
    var coolantAtStart: Double?
    /// The last run time of the engine in seconds, and the time of its reading.
    var runTime: RunTime?
    var places = TripPlaces()
    var codes = TripCodes()
    private var engineSpeed = ReadingSteps()
    private var engineLoad = ReadingSteps()
    /// The value that counts for each role.
    private var sources: [ParameterRole: String] = [:]

    struct RunTime: Hashable, Sendable {
        var seconds: Double
        var time: MonotonicTime

        /// The start of the engine.
        var start: MonotonicTime { self.time - .seconds(self.seconds) }
    }

    /// - Parameter earlier: the odometer at the end of the trip before this one.
    init(at now: MonotonicTime, after earlier: TripDistance.Anchor?) {
        self.newest.distance.earlier = earlier
        self.figures = self.newest
        (self.start, self.end) = (TripPoint(time: now), TripPoint(time: now))
        (self.firstSeen, self.lastSeen, self.lastSign) = (now, now, now)
    }

    // MARK: - Inputs

    /// Takes over the readings of one reply.
    mutating func receive(_ readings: [Reading], _ limits: TripLimits, at now: MonotonicTime) {
        let isAfterGap = now - self.lastSeen > ReadingSteps.longest
        if isAfterGap { self.newest.missed += (now - self.lastSeen).seconds }
        self.lastSeen = max(self.lastSeen, now)
        self.places.readingsReceived(readings, isAfterGap: isAfterGap, first: self.firstSeen, at: now)
        for reading in readings { self.receive(reading, limits) }
        guard readings.contains(where: \.isSignOfDrive) else { return }
        self.lastSign = self.lastSeen
        self.figures = self.newest
    }

    private mutating func receive(_ reading: Reading, _ limits: TripLimits) {
        if TripFuel.sources.contains(reading.name), reading.unit == TripFuel.unit {
            self.newest.fuel.rateReceived(reading.value, from: reading.name, at: reading.time)
        }
        if let role = reading.role {
            let source = self.sources[role] ?? reading.name
            self.sources[role] = source
            if source == reading.name { self.receive(reading, role, limits) }
        }
        switch reading.name {
        case Reading.engineLoad:
            guard let step = self.engineLoad.receive(reading.value, at: reading.time), self.runs(at: reading.time)
            else { return }
            self.newest.engineLoads.add(step.seconds, at: step.mean)
        case Reading.coolant:
            if self.isStarting(at: reading.time) { self.coolantAtStart = self.coolantAtStart ?? reading.value }
        case Reading.runTime:
            if reading.value > 0 { self.runTime = RunTime(seconds: reading.value, time: reading.time) }
        default: break
        }
    }

    private mutating func receive(_ reading: Reading, _ role: ParameterRole, _ limits: TripLimits) {
        let (value, time) = (reading.usualValue, reading.time)
        switch role {
        case .vehicleSpeed:
            guard value >= 0 else { return }
            self.newest.motion.speedReceived(value, engineRuns: self.runs(at: time), limits, at: time)
        case .engineSpeed:
            guard let step = self.engineSpeed.receive(value, at: time), min(step.from, step.to) > 0 else { return }
            self.newest.engineSpeeds.add(step.seconds, at: step.mean)
        case .odometer:
            self.newest.distance.odometerReceived(
                value,
                resolution: role.usual(reading.resolution ?? 1, reading.unit),
                integral: self.newest.motion.distance,
                at: time
            )
        case .fuelLevel:
            self.end.fuelLevel = value
            if self.isStarting(at: time) { self.start.fuelLevel = self.start.fuelLevel ?? value }
        case .stateOfCharge:
            self.end.stateOfCharge = value
            if self.isStarting(at: time) { self.start.stateOfCharge = self.start.stateOfCharge ?? value }
        case .tractionBatteryPower: self.newest.energy.powerReceived(value, at: time)
        case .tractionBatteryVoltage: self.newest.energy.voltageReceived(value, at: time)
        case .tractionBatteryCurrent: self.newest.energy.currentReceived(value, at: time)
        default: break
        }
    }

    /// Takes over the place of the vehicle; nil if it must not be told.
    ///
    /// Places without signs of a drive are not part of the trip: the vehicle is towed, is on a ferry, or its adapter
    /// has failed.
    mutating func placeReceived(_ place: Coordinate?, at time: MonotonicTime) {
        guard time - self.lastSign <= RecentPlaces.tolerance else { return }
        let entry = RecentPlaces.Entry(place: place, time: time)
        let isObserved = self.late <= RecentPlaces.tolerance && time - self.lastSeen <= RecentPlaces.tolerance
        let hasStood = isObserved && self.places.movedAt == nil
        let isAtStart = hasStood || entry.distance(to: self.start.time) <= RecentPlaces.tolerance
        self.places.placeReceived(entry, isAtStart: isAtStart)
    }

    /// Moves the start back to that of the engine.
    ///
    /// - Parameters:
    ///   - earliest: the end of the trip before, or a later time at which the engine did not turn.
    ///   - recent: the places, of which one may be that of the start.
    mutating func moveStart(notBefore earliest: MonotonicTime?, _ recent: RecentPlaces) {
        guard let engine = self.runTime?.start, self.lastSeen - self.firstSeen < Self.startWindow else { return }
        let start = earliest.map { max($0, engine) } ?? engine
        // A difference within the error would only show consumers another start for the same trip.
        guard start < self.start.time - Self.startError else { return }
        self.start.time = start
        self.places.startMoved(to: start, recent)
    }

    /// Moves all times to another clock.
    mutating func shift(by duration: Duration) {
        self.start.time = self.start.time + duration
        self.end.time = self.end.time + duration
        self.firstSeen = self.firstSeen + duration
        self.lastSeen = self.lastSeen + duration
        self.lastSign = self.lastSign + duration
        self.places.shift(by: duration)
        if let time = self.runTime?.time { self.runTime?.time = time + duration }
    }

    /// Inserts a time without readings before the newest reading.
    mutating func insertGap(_ duration: Duration) {
        self.start.time = self.start.time - duration
        self.firstSeen = self.firstSeen - duration
        self.newest.missed += duration.seconds
        self.figures.missed += duration.seconds
    }

    // MARK: - State

    private func isStarting(at time: MonotonicTime) -> Bool { time - self.start.time < Self.startWindow }

    /// Whether the engine runs.
    private func runs(at time: MonotonicTime) -> Bool { (self.engineSpeed.recent(at: time) ?? 0) > 0 }

    /// The time of the trip before its first reading.
    private var late: Duration { max(.zero, self.firstSeen - self.start.time) }

    /// The seconds of the trip without readings.
    private var unobserved: Double { self.late.seconds + self.figures.missed }

    private var result: TripDistance.Result? {
        let (figures, duration) = (self.figures, max(0, (self.lastSign - self.start.time).seconds))
        let lacking = duration - figures.motion.watched
        let isComplete = lacking <= max(Self.completeness.seconds, duration * Self.completeness.share)
        return figures.distance.result(
            figures.motion,
            duration: duration,
            late: self.late,
            isComplete: isComplete && self.unobserved <= Self.completeness.seconds
        )
    }

    /// Whether the vehicle has certainly moved far enough for a trip.
    var hasMoved: Bool {
        if self.figures.motion.distance >= Self.shortest { return true }
        return self.result?.least.map { $0 >= Self.shortest } ?? false
    }

    /// The odometer at the end.
    var endAnchor: TripDistance.Anchor? { self.figures.distance.end(self.figures.motion) }

    /// Returns what is known of the trip.
    func trip(isFinished: Bool) -> Trip {
        let (figures, result) = (self.figures, self.result)
        let (motion, fuel, energy) = (figures.motion, figures.fuel, figures.energy)
        let (hasFuel, hasEnergy, isCounted) = (fuel.watched > 0, energy.flow.watched > 0, motion.countsManeuvers)
        var (start, end) = (self.start, self.end)
        // Dates have milliseconds: from whole ones, start, end and duration agree wherever a reader computes one of them.
        start.time = start.time.wholeMilliseconds
        end.time = max(start.time, self.lastSign.wholeMilliseconds)
        let duration = (end.time - start.time).seconds
        (start.odometer, end.odometer) = (figures.distance.start(late: self.late), self.endAnchor?.position)
        (start.place, end.place) = (self.places.start, self.places.end(at: self.lastSign))
        let consumption = TripConsumption(
            [
                result.map { .init(distance: $0.distance, seconds: $0.seconds) },
                motion.watched > 0 ? .init(distance: motion.distance, seconds: motion.watched) : nil,
            ],
            duration: duration
        )
        return Trip(
            start: start,
            end: end,
            boot: self.boot,
            isFinished: isFinished,
            distance: result?.distance,
            distanceSource: result?.source,
            distanceError: result?.error,
            distanceWatched: result?.seconds,
            moving: motion.moving,
            idling: motion.idling,
            stopped: max(0, duration - motion.moving - motion.idling - self.unobserved),
            unobserved: self.unobserved,
            meanSpeed: result?.meanSpeed,
            maximumSpeed: motion.maximum,
            fuel: hasFuel ? fuel.used : nil,
            fuelSource: hasFuel ? fuel.source : nil,
            fuelWatched: hasFuel ? fuel.watched : nil,
            fuelConsumption: consumption.per100Kilometers(fuel.used, in: fuel.watched),
            energy: hasEnergy ? energy.taken : nil,
            regenerated: hasEnergy ? energy.returned : nil,
            energySource: hasEnergy ? energy.source : nil,
            energyWatched: hasEnergy ? energy.flow.watched : nil,
            energyConsumption: consumption.per100Kilometers(energy.taken - energy.returned, in: energy.flow.watched),
            engineSpeeds: figures.engineSpeeds.isEmpty ? nil : figures.engineSpeeds,
            engineLoads: figures.engineLoads.isEmpty ? nil : figures.engineLoads,
            coolantAtStart: self.coolantAtStart,
            harshBrakings: isCounted ? motion.brakings : nil,
            harshAccelerations: isCounted ? motion.accelerations : nil,
            overSpeeds: isCounted ? motion.overSpeeds : nil,
            codesAppeared: self.codes.appeared,
            codesGone: self.codes.gone
        )
    }
}

extension MonotonicTime {
    /// The time without its part of a millisecond.
    fileprivate var wholeMilliseconds: MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(self.sinceBoot.milliseconds))
    }
}
