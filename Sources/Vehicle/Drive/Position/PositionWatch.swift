// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Decides which positions are published, and which points of the track are recorded.
///
/// All that leaves the agent about the vehicle's position passes here, so this is where ``HomeZones`` and
/// ``PositionSharing`` are kept.
package struct PositionWatch: Sendable {
    /// The position as it is published.
    package struct Position: Hashable, Sendable {
        /// The trust in the position.
        package enum Quality: Hashable, Sendable {
            /// The present position.
            case good
            /// The last position, because there is no fix now, as in a tunnel.
            case stale
            /// The last position, because the present fixes are impossible.
            case jumping
            /// No position, because the vehicle is in a zone.
            case withheld
        }

        package var quality: Quality
        /// The fix; nil if the position is withheld.
        package var fix: Fix?
        /// The name of the zone, if the position is withheld.
        package var zone: String?
        /// The time of the fix.
        package var time: MonotonicTime
    }

    /// The place at which a trip would start or end now.
    package enum TripPlace: Hashable, Sendable {
        case known(Coordinate)
        /// The place must not leave the agent.
        case withheld
    }

    /// The actions of an input.
    package struct Actions: Hashable, Sendable {
        /// The position to publish.
        package var position: Position?
        /// The points to record.
        package var points: [TrackThinner.Point] = []
        /// The place for a trip, if there is a fix.
        package var place: TripPlace?
    }

    /// The error in m of a position on the grid.
    package static let coarseError = 1500.0

    private let sharing: PositionSharing
    private let zones: HomeZones
    private var filter = FixFilter()
    private var thinner = TrackThinner()

    package init(_ sharing: PositionSharing, zones: HomeZones) {
        self.sharing = sharing
        self.zones = zones
    }

    /// Whether positions are published at all.
    package var isShown: Bool { self.sharing.publishesPosition }

    /// The receiver has determined a position.
    package mutating func fixReceived(_ fix: Fix) -> Actions {
        let verdict = self.filter.received(fix)
        // A receiver that hangs repeats its last fix for ever.
        guard verdict != .repeated else {
            return self.filter.isStale(at: fix.time) ? self.timePassed(to: fix.time) : Actions()
        }
        var actions = Actions(position: self.position(at: fix.time))
        guard verdict == .accepted else { return actions }
        if self.sharing == .full { actions.points = self.record(fix) }
        if self.sharing != .never { actions.place = self.shared(fix.coordinate).map { .known($0) } ?? .withheld }
        return actions
    }

    /// Time has passed without a fix.
    package mutating func timePassed(to now: MonotonicTime) -> Actions {
        Actions(position: self.position(at: now))
    }

    /// The vehicle is parked.
    package mutating func parked() -> [TrackThinner.Point] { self.thinner.pause() }

    /// Another vehicle follows: its position is unknown, and the following fixes do not continue the track.
    package mutating func vehicleChanged() -> [TrackThinner.Point] {
        self.filter = FixFilter()
        return self.thinner.end()
    }

    /// Returns a place as it may leave the agent; nil if it may not.
    package func shared(_ place: Coordinate) -> Coordinate? {
        guard self.sharing != .never, self.zone(of: place) == nil else { return nil }
        return self.sharing == .coarse ? place.coarse : place
    }

    private mutating func record(_ fix: Fix) -> [TrackThinner.Point] {
        self.zone(of: fix.coordinate) == nil ? self.thinner.received(fix) : self.thinner.end()
    }

    /// Returns the position to publish; nil if none is published, or there was none yet.
    private func position(at now: MonotonicTime) -> Position? {
        guard self.isShown, let fix = self.filter.newest else { return nil }
        var position = Position(quality: .good, fix: fix, time: fix.time)
        if let zone = self.zone(of: fix.coordinate) {
            (position.quality, position.fix, position.zone) = (.withheld, nil, zone)
            return position
        }
        if self.filter.isJumping {
            position.quality = .jumping
        } else if self.filter.isStale(at: now) {
            position.quality = .stale
        }
        // The rest of a fix would narrow the place down.
        if self.sharing == .coarse {
            position.fix = Fix(fix.coordinate.coarse, .two, accuracy: Self.coarseError, at: fix.time)
        }
        return position
    }

    /// Returns the zone of a place; the cell of the grid, which is published instead of it, must lie outside too.
    private func zone(of place: Coordinate) -> String? {
        if let zone = self.zones.name(of: place) { return zone }
        return self.sharing == .coarse ? self.zones.name(of: place.coarse) : nil
    }
}
