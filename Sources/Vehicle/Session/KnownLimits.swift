// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// The number of PIDs that each vehicle accepts in one request, so that a new session need not find it out again.
struct KnownLimits: Sendable {
    /// The number of vehicles that are kept.
    ///
    /// A new one replaces the vehicle whose session ended longest ago.
    static let room = 16

    /// The limits by VIN or fingerprint; the latest is the last.
    private var limits: [(key: [String], limit: GroupLimit)] = []

    /// The limit of a vehicle; nil if it is not known.
    subscript(identity: VehicleIdentity) -> GroupLimit? {
        let key = Self.key(identity)
        return self.limits.last { $0.key == key }?.limit
    }

    /// Keeps the limit of an identified vehicle at the end of its session.
    mutating func remember(_ limit: GroupLimit, of identity: VehicleIdentity) {
        let key = Self.key(identity)
        self.limits.removeAll { $0.key == key }
        self.limits.append((key, limit))
        if self.limits.count > Self.room { self.limits.removeFirst() }
    }

    private static func key(_ identity: VehicleIdentity) -> [String] {
        identity.vin.map { [$0.description] } ?? identity.fingerprint
    }
}
