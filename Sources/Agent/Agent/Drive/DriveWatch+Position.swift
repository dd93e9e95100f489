// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive
import Uplink

// Positions.
extension DriveWatch {
    /// The receiver has determined a position.
    mutating func fixReceived(_ fix: Fix) -> [DriveAction] {
        guard let actions = self.position?.fixReceived(fix) else { return [] }
        return self.perform(actions, at: fix.time)
    }

    /// The receiver has determined no position for some time.
    mutating func fixMissed(at now: MonotonicTime) -> [DriveAction] {
        guard let actions = self.position?.timePassed(to: now) else { return [] }
        return self.perform(actions, at: now)
    }

    /// Completes the track up to the place where the vehicle is parked.
    mutating func completeTrack() -> [DriveAction] { Self.actions(self.position?.parked() ?? []) }

    /// Ends the track of the vehicle of before.
    mutating func endTrack() -> [DriveAction] { Self.actions(self.position?.vehicleChanged() ?? []) }

    /// Withdraws the position that an earlier configuration has published, if this one publishes none.
    func withdrawPosition() -> [DriveAction] {
        self.position?.isShown == true ? [] : [.update(.position, .withdrawn)]
    }

    private mutating func perform(_ actions: PositionWatch.Actions, at now: MonotonicTime) -> [DriveAction] {
        switch actions.place {
        case .known(let place): self.trips.placeReceived(place, at: now)
        case .withheld: self.trips.placeReceived(nil, at: now)
        case nil: break
        }
        let update = actions.position.map { position in
            DriveAction.update(.position, .position(PositionReport(position, self.clock)))
        }
        return (update.map { [$0] } ?? []) + Self.actions(actions.points)
    }

    private static func actions(_ points: [TrackThinner.Point]) -> [DriveAction] {
        guard !points.isEmpty else { return [] }
        return [
            .track(
                points.map { point in
                    let (latitude, longitude) = (point.coordinate.latitude, point.coordinate.longitude)
                    return TrackBatcher.Point(
                        EncodedPolyline.Point(degreesNorth: latitude, degreesEast: longitude),
                        at: point.time,
                        followsGap: point.followsGap
                    )
                }
            )
        ]
    }
}
