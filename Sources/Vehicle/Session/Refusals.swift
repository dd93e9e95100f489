// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The destinations that the adapter cannot address, over all sessions.
///
/// A destination whose requests break the adapter again and again is given up.
struct Refusals: Sendable {
    /// The number of losses of the adapter in a row after which a destination is given up.
    ///
    /// A loss counts if it follows a request to that destination, and the adapter has not been proved to address all
    /// ECUs since.
    static let lossLimit = 2

    /// The errors that a request to one destination may cause.
    private static let suspicious: Set<SessionError> = [.settingsNotRestored, .adapterSilent, .adapterRestarted]

    private(set) var destinations: Set<Destination> = []
    private var losses: [Destination: Int] = [:]
    private var suspect: Destination?

    /// Takes over the refusals of a session that ended, and suspects its last destination if the error fits.
    ///
    /// - Parameter unproven: the destination of the last request to one ECU, if the adapter has not been proved to
    ///   address all ECUs since.
    mutating func ended(_ error: SessionError, refused: Set<Destination>, unproven: Destination?) {
        self.destinations.formUnion(refused)
        self.suspect = Self.suspicious.contains(error) ? unproven : nil
    }

    /// Notes that the adapter addresses all ECUs again after a request to `destination`.
    mutating func proved(_ destination: Destination) {
        self.losses[destination] = nil
    }

    /// Counts a loss of the adapter at the start of the next session.
    ///
    /// A vehicle that answers at once shows that the adapter was lost, and not the vehicle.
    ///
    /// - Returns: the destination that is given up; nil if there is none.
    mutating func restarted(foundVehicle: Bool) -> Destination? {
        defer { self.suspect = nil }
        guard foundVehicle, let suspect = self.suspect else { return nil }
        self.losses[suspect, default: 0] += 1
        guard self.losses[suspect, default: 0] >= Self.lossLimit else { return nil }
        self.destinations.insert(suspect)
        return suspect
    }
}
