// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// What a command must pass before the bus is touched, however well it is formed.
package struct CommandGuard: Sendable {
    /// How far the sender's clock may be ahead of ours.
    static let skew = Duration.seconds(60)
    /// The longest that a command may live.
    static let longestLife = Duration.seconds(24 * 3600)

    private let allowed: Set<String>
    /// What whoever does not sign may ask for; nil: nothing.
    package let unsignedRole: Role?

    /// - Parameters:
    ///   - allowed: the names of the commands that this agent obeys.
    ///   - unsignedRole: what whoever does not sign may ask for; nil: nothing.
    package init(allowed: Set<String>, unsignedRole: Role?) {
        self.allowed = allowed
        self.unsignedRole = unsignedRole
    }

    /// The situation in which a command arrives.
    package struct Circumstances: Hashable, Sendable {
        /// Whether the broker sent it out of its memory.
        package var isRetained: Bool
        package var now: Timestamp
        package var clock: ClockQuality
        /// The latest date that has certainly passed; nil while none is known.
        package var latest: Timestamp?
        /// The vehicle's names: its topic level and its VIN.
        ///
        /// Nil while the vehicle is being identified.
        package var vehicles: Set<String>?

        package init(
            isRetained: Bool,
            now: Timestamp,
            clock: ClockQuality,
            latest: Timestamp? = nil,
            vehicles: Set<String>?
        ) {
            self.isRetained = isRetained
            self.now = now
            self.clock = clock
            self.latest = latest
            self.vehicles = vehicles
        }
    }

    /// Whether the command is allowed.
    package func isAllowed(_ name: CommandName) -> Bool {
        self.allowed.contains(name.rawValue)
    }

    /// What `describe` tells of it.
    var description: [String: JSON] {
        [
            "commands": .array(CommandName.allCases.filter(self.isAllowed).map { .string($0.rawValue) }),
            "unsigned_role": .string(self.unsignedRole?.rawValue ?? "none"),
        ]
    }

    /// Why an unsigned command is no more than a message of a stranger's; nil where it counts, or is signed.
    package func refusal(ofStranger command: Command) -> Refusal? {
        let needed = command.action.role
        guard command.signer == nil, self.unsignedRole.map({ $0 < needed }) ?? true else { return nil }
        let role = self.unsignedRole?.rawValue ?? "none"
        return command.refused(
            .unsigned,
            "it must be signed with a key of the role \(needed.rawValue) or above: [commands] unsigned_role is \(role)"
        )
    }

    /// Why the command is not obeyed, of one who is no stranger; nil where it is.
    package func refusal(of command: Command, in now: Circumstances) -> Refusal? {
        if now.isRetained {
            return command.refused(
                .retained,
                "a retained command would run again at every connection: publish it without retain"
            )
        }
        guard command.expiresAt - command.issuedAt <= Self.longestLife else {
            return command.refused(.lifetimeTooLong, "expires_at is more than 24 hours after issued_at")
        }
        if let vehicles = now.vehicles, !command.audience.isEmpty, command.audience.isDisjoint(with: vehicles) {
            let names = command.audience.sorted().map { $0.prefix(bytes: 64) }
            return command.refused(.wrongVehicle, "this is not \(names.joined(separator: ", "))")
        }
        if let signer = command.signer, signer.role < command.action.role {
            return command.refused(
                .roleInsufficient,
                "\(signer.issuer) is \(signer.role.rawValue); it takes \(command.action.role.rawValue)"
            )
        }
        guard self.isAllowed(command.action.name) else {
            return command.refused(.notAllowed, "the configuration does not allow it: [commands] allow")
        }
        guard !command.action.wakes || self.isAllowed(.wake) else {
            return command.refused(
                .notAllowed,
                "[commands] allow lacks \"wake\", so \"wake\": true is refused. "
                    + "Try: without it once the engine was started, or add \"wake\" to allow."
            )
        }
        return self.refusal(ofUntimely: command, in: now)
    }

    /// Returns the reason why the command comes at the wrong time; nil if it does not.
    private func refusal(ofUntimely command: Command, in circumstances: Circumstances) -> Refusal? {
        let now = circumstances.now
        switch circumstances.clock {
        case .unsynchronised:
            // A reading that comes too late does no harm; a change may.
            guard command.action.role > .observer else { return nil }
            return command.refused(
                .clockUnknown,
                "this machine's clock is not set, so nobody can tell whether this has expired"
            )
        case .synchronised:
            if command.action.role > .observer, let latest = circumstances.latest, now + Self.skew < latest {
                return command.refused(
                    .clockUnknown,
                    "the clock says \(now), but \(latest) has passed already, so the command may have expired. "
                        + "Try: timedatectl; if the clock is right, on the machine: sudo obd-agent clock --reset"
                )
            }
            guard command.issuedAt <= now + Self.skew else {
                return command.refused(.issuedInFuture, "it was issued later than now, \(now)")
            }
            guard now < command.expiresAt else { return command.refused(.expired, "it is \(now)") }
            return nil
        }
    }
}

extension Command {
    /// It is not obeyed.
    func refused(_ reason: CommandResponse.Reason, _ message: String) -> Refusal {
        Refusal(
            id: self.id,
            command: self.action.name.rawValue,
            issuer: self.signer?.issuer,
            reason: reason,
            message: message
        )
    }
}
