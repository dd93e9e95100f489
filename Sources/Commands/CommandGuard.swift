// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// What a command must pass before the bus is touched, however well it is formed.
package struct CommandGuard: Sendable {
    /// How far the sender's clock may be ahead of ours.
    static let skew = Duration.seconds(60)
    /// The longest that a command may live.
    static let longestLife = Duration.seconds(24 * 3600)

    private let allowed: Set<String>

    /// - Parameter allowed: the names of the commands that this agent obeys.
    package init(allowed: Set<String>) {
        self.allowed = allowed
    }

    /// The situation in which a command arrives.
    package struct Circumstances: Hashable, Sendable {
        /// Whether the broker sent it out of its memory.
        package var isRetained: Bool
        package var now: Timestamp
        package var clock: ClockQuality
        /// What the vehicle is called: its topic level, and its VIN.
        package var vehicles: Set<String>

        package init(isRetained: Bool, now: Timestamp, clock: ClockQuality, vehicles: Set<String>) {
            self.isRetained = isRetained
            self.now = now
            self.clock = clock
            self.vehicles = vehicles
        }
    }

    /// Whether the command is allowed.
    package func isAllowed(_ name: CommandName) -> Bool {
        self.allowed.contains(name.rawValue)
    }

    /// Why the command is not obeyed; nil where it is.
    package func refusal(of command: Command, in now: Circumstances) -> Refusal? {
        let name = command.action.name
        func refuse(_ reason: CommandResponse.Reason, _ message: String) -> Refusal {
            Refusal(id: command.id, command: name.rawValue, reason: reason, message: message)
        }
        if now.isRetained {
            return refuse(
                .retained,
                "a retained command would run again at every connection: publish it without retain"
            )
        }
        guard command.expiresAt - command.issuedAt <= Self.longestLife else {
            return refuse(.lifetimeTooLong, "expires_at is more than 24 hours after issued_at")
        }
        if let vehicle = command.vehicle, !now.vehicles.contains(vehicle) {
            return refuse(.wrongVehicle, "this is not \(vehicle.prefix(64))")
        }
        guard self.isAllowed(name) else {
            return refuse(.notAllowed, "the configuration does not allow it: [commands] allow")
        }
        switch now.clock {
        case .unsynchronised:
            // A reading that comes too late does no harm; a change may.
            guard name.writes else { return nil }
            return refuse(.clockUnknown, "this machine's clock is not set, so nobody can tell whether this has expired")
        case .synchronised:
            guard command.issuedAt <= now.now + Self.skew else {
                return refuse(.issuedInFuture, "issued_at is later than now, \(now.now)")
            }
            guard now.now < command.expiresAt else { return refuse(.expired, "it is \(now.now)") }
            return nil
        }
    }
}
