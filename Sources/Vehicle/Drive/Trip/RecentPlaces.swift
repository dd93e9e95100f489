// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The places of the last two minutes, of which one may turn out to be that of a start.
struct RecentPlaces: Sendable {
    /// A place that was determined at a time.
    struct Entry: Hashable, Sendable {
        /// nil if the place must not be told.
        var place: Coordinate?
        var time: MonotonicTime
    }

    /// The longest time between a fix and the start or the end of a trip whose place it is.
    static let tolerance = Duration.seconds(15)
    /// The shortest time between two entries, and their largest number.
    private static let (spacing, limit) = (Duration.seconds(2), 64)

    private var entries: [Entry] = []

    var newest: Entry? { self.entries.last }

    /// Takes over the place of the vehicle; nil if it must not be told.
    mutating func placeReceived(_ place: Coordinate?, at time: MonotonicTime) {
        if let last = self.entries.last, time <= last.time { return }
        // Only the newest entry may be nearer than the spacing to the one before it.
        if let earlier = self.entries.dropLast().last, let last = self.entries.last,
            last.time - earlier.time < Self.spacing
        {
            self.entries.removeLast()
        }
        self.entries.append(Entry(place: place, time: time))
        if self.entries.count > Self.limit { self.entries.removeFirst() }
    }

    /// Returns the entry next to a time; nil if none is within the tolerance.
    func nearest(to time: MonotonicTime) -> Entry? {
        let nearest = self.entries.min { $0.distance(to: time) < $1.distance(to: time) }
        return nearest.flatMap { $0.distance(to: time) <= Self.tolerance ? $0 : nil }
    }
}

extension RecentPlaces.Entry {
    /// Returns the time between the fix and another time.
    func distance(to time: MonotonicTime) -> Duration { max(time - self.time, self.time - time) }
}
