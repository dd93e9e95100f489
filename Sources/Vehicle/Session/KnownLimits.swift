// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// How many PIDs the vehicles that were connected take in one request, so that each connection need not find it out.
struct KnownLimits: Sendable {
    /// How many vehicles are kept; who was connected longest ago goes.
    static let room = 16

    /// By what tells the vehicles from each other; the latest is the last.
    private var limits: [(key: [String], limit: GroupLimit)] = []

    /// What was found out of a vehicle.
    subscript(identity: VehicleIdentity) -> GroupLimit? {
        let key = Self.key(identity)
        return self.limits.last { $0.key == key }?.limit
    }

    /// A session with a vehicle, which is known by then, is over.
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
