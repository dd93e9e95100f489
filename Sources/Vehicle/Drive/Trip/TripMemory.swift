// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The state of a ``TripRecorder`` that outlives the process.
package struct TripMemory: Hashable, Sendable {
    /// The boot whose clock has the times.
    var boot: MachineBoot
    var totals: TripTotals
    /// The totals that consumers may be told once the state is on the disk.
    package var told: TripTotals
    var last: Trip?
    var open: OpenTrip?
    var lastEnd: TripRecorder.LastEnd

    /// The version of the form.
    private static let version = 1

    /// - Parameter told: the totals that consumers have been told at most.
    init(
        boot: MachineBoot,
        totals: TripTotals,
        told: TripTotals,
        last: Trip?,
        open: OpenTrip?,
        lastEnd: TripRecorder.LastEnd
    ) {
        self.boot = boot
        self.totals = totals
        self.told = told.raised(
            to: open.map { totals.adding($0.trip(isFinished: false), isTrip: false) } ?? totals
        )
        self.last = last
        self.open = open
        self.lastEnd = lastEnd
    }

    /// Restores the state; nil if it is damaged, or of another version.
    package init?(_ json: JSON) {
        let members = TripMembers(json)
        guard members.count("version") == Self.version, let boot = members.members("boot").flatMap(MachineBoot.init),
            let totals = members.members("totals").flatMap(TripTotals.init)
        else { return nil }
        self.init(
            boot: boot,
            totals: totals,
            told: members.members("told").flatMap(TripTotals.init) ?? TripTotals(),
            last: members.members("last").flatMap(Trip.init),
            open: members.members("open").flatMap(OpenTrip.init),
            lastEnd: TripRecorder.LastEnd(
                time: members.time("last_end"),
                odometer: members.anchor("last_odometer")
            )
        )
    }

    /// The trip that goes on, with the boot whose clock has its times; nil if none does.
    package var present: Trip? {
        guard var trip = self.open?.trip(isFinished: false) else { return nil }
        trip.boot = trip.boot ?? self.boot
        return trip
    }

    /// Replaces each place by what `shared` returns for it.
    ///
    /// The places have been recorded under another configuration perhaps, which told more.
    package mutating func sharePlaces(_ shared: (Coordinate) -> Coordinate?) {
        self.last?.start.sharePlace(shared)
        self.last?.end.sharePlace(shared)
        self.open?.places.share(shared)
    }

    /// The stored form.
    package var json: JSON {
        var members = TripMembers()
        members.set("version", Self.version)
        members.set("boot", self.boot.members)
        members.set("totals", self.totals.members)
        members.set("told", self.told.members)
        members.set("last", self.last?.members)
        members.set("open", self.open?.members)
        members.set("last_end", self.lastEnd.time)
        members.set("last_odometer", self.lastEnd.odometer)
        return members.json
    }
}

extension TripPoint {
    fileprivate mutating func sharePlace(_ shared: (Coordinate) -> Coordinate?) {
        self.place = self.place.flatMap(shared)
    }
}
