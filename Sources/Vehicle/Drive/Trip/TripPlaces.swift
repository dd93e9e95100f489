// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The places of a trip that goes on, and what tells whether they are those of its start and of its end.
///
/// A place is that of another time if the fix is from at most ``RecentPlaces/tolerance`` before or after it, or if the
/// vehicle has not moved in between. Otherwise the place is unknown.
struct TripPlaces: Hashable, Sendable {
    /// The place of the start; nil if it is unknown, or must not be told.
    var start: Coordinate?
    /// The newest place of the drive.
    private(set) var newest: RecentPlaces.Entry?
    /// The last time at which the vehicle may have moved; nil if it has stood since the first reading.
    private(set) var movedAt: MonotonicTime?
    private var speedAt: MonotonicTime?
    /// Whether the place at the start was determined.
    private var isStartKnown = false

    init() {}

    /// Restores the places of a trip that an earlier process has begun.
    init(start: Coordinate?, newest: RecentPlaces.Entry?, movedAt: MonotonicTime?) {
        (self.start, self.newest, self.movedAt, self.isStartKnown) = (start, newest, movedAt, true)
    }

    /// Looks for the place of a start anew, because that has another time.
    mutating func startMoved(to start: MonotonicTime, _ recent: RecentPlaces) {
        let entry = recent.nearest(to: start)
        (self.start, self.isStartKnown) = (entry?.place, entry != nil)
        self.newest = self.newest ?? recent.newest
    }

    /// Takes over readings.
    ///
    /// - Parameters:
    ///   - isAfterGap: whether nothing was read for some time before them.
    ///   - first: the time of the first reading of the trip.
    mutating func readingsReceived(
        _ readings: [Reading],
        isAfterGap: Bool,
        first: MonotonicTime,
        at now: MonotonicTime
    ) {
        let speeds = readings.filter { $0.role == .vehicleSpeed }
        let isUnknown = isAfterGap || now - (self.speedAt ?? first) > ReadingSteps.longest
        if !speeds.isEmpty { self.speedAt = now }
        if isUnknown || speeds.contains(where: \.isSignOfDrive) { self.movedAt = now }
    }

    /// Takes over a place of the drive.
    ///
    /// - Parameter isAtStart: whether the vehicle is still where it was at the start.
    mutating func placeReceived(_ entry: RecentPlaces.Entry, isAtStart: Bool) {
        self.newest = entry
        guard isAtStart, !self.isStartKnown else { return }
        (self.start, self.isStartKnown) = (entry.place, true)
    }

    /// Returns the place at the end of the trip.
    func end(at time: MonotonicTime) -> Coordinate? {
        guard let newest = self.newest else { return nil }
        let stoppedAt = min(time, self.movedAt ?? time)
        return stoppedAt - newest.time <= RecentPlaces.tolerance ? newest.place : nil
    }

    /// Replaces each place by what `shared` returns for it.
    mutating func share(_ shared: (Coordinate) -> Coordinate?) {
        self.start = self.start.flatMap(shared)
        if let newest = self.newest { self.newest = .init(place: newest.place.flatMap(shared), time: newest.time) }
    }

    /// Moves all times to another clock.
    mutating func shift(by duration: Duration) {
        self.newest = self.newest.map { .init(place: $0.place, time: $0.time + duration) }
        self.movedAt = self.movedAt.map { $0 + duration }
        self.speedAt = self.speedAt.map { $0 + duration }
    }
}
