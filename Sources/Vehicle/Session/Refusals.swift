// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// Whom the adapter can't ask, from one session to the next: an adapter that does not find back is not tried for ever.
struct Refusals: Sendable {
    /// How often in a row the adapter may be lost at a request to the same destination, or on the way back from it.
    static let lossLimit = 2

    /// What of an adapter's loss may be due to whom it asked last.
    private static let suspicious: Set<SessionError> = [.adapterUnsettled, .adapterSilent, .adapterRestarted]

    private(set) var destinations: Set<Destination> = []
    private var losses: [Destination: Int] = [:]
    private var suspect: Destination?

    /// A session ended.
    ///
    /// - Parameter unproven: who was asked alone, if it was not proved that everybody was asked again.
    mutating func ended(_ error: SessionError, refused: Set<Destination>, unproven: Destination?) {
        self.destinations.formUnion(refused)
        self.suspect = Self.suspicious.contains(error) ? unproven : nil
    }

    /// The adapter has found back from a request to `destination`.
    mutating func proved(_ destination: Destination) {
        self.losses[destination] = nil
    }

    /// The next session found a vehicle at once, so that it was not the vehicle that had gone: or it did not.
    ///
    /// - Returns: the destination that is given up, if one is.
    mutating func restarted(foundVehicle: Bool) -> Destination? {
        defer { self.suspect = nil }
        guard foundVehicle, let suspect = self.suspect else { return nil }
        self.losses[suspect, default: 0] += 1
        guard self.losses[suspect, default: 0] >= Self.lossLimit else { return nil }
        self.destinations.insert(suspect)
        return suspect
    }
}
