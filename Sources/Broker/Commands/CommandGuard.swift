// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The checks that a well-formed command must pass before it uses the bus.
package struct CommandGuard: Sendable {
    /// The largest time by which the sender's clock may be ahead of this one.
    static let skew = Duration.seconds(60)
    /// The longest time from issue to expiry.
    static let longestLife = Duration.seconds(24 * 3600)

    private let allowed: Set<String>
    /// The role of unsigned commands; nil refuses them all.
    package let unsignedRole: Role?
    private let buttons: Set<String>

    /// - Parameters:
    ///   - allowed: the names of the allowed commands.
    ///   - unsignedRole: the role of unsigned commands; nil refuses them all.
    ///   - buttons: the names of the commands that have a topic of their own below `commands`.
    package init(allowed: Set<String>, unsignedRole: Role?, buttons: Set<String> = []) {
        self.allowed = allowed
        self.unsignedRole = unsignedRole
        self.buttons = buttons
    }

    /// The situation in which a command arrives.
    package struct Circumstances: Hashable, Sendable {
        /// Whether the broker sent the command as a retained message.
        package var isRetained: Bool
        package var now: Timestamp
        package var clock: ClockQuality
        /// The latest date that has certainly passed; nil if none is known.
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

    /// Whether the command has a topic of its own.
    func hasButton(_ name: CommandName) -> Bool { self.buttons.contains(name.rawValue) }

    /// The members that the checks add to the result of `describe`.
    var description: [String: JSON] {
        [
            "commands": .array(CommandName.allCases.filter(self.isAllowed).map { .string($0.rawValue) }),
            "unsigned_role": .string(self.unsignedRole?.rawValue ?? "none"),
        ]
    }

    /// Returns the reason why an unsigned command needs a signature; nil if it does not, or has one.
    ///
    /// Where a signature would not suffice, because the configuration does not allow the command, that comes first.
    package func refusal(ofUnsigned command: Command) -> Refusal? {
        let needed = command.action.role
        guard command.signer == nil, self.unsignedRole.map({ $0 < needed }) ?? true else { return nil }
        let role = self.unsignedRole?.rawValue ?? "none"
        let message =
            "The command needs a signature of the role \(needed.rawValue) or above: "
            + "[commands] unsigned_role is \(role)."
        guard var refusal = self.refusal(ofForbidden: command) else { return command.refused(.unsigned, message) }
        refusal.message += " \(message)"
        return refusal
    }

    /// Returns the reason why the configuration allows the command to nobody; nil if it allows it.
    private func refusal(ofForbidden command: Command) -> Refusal? {
        guard self.isAllowed(command.action.name) else {
            let name = command.action.name.rawValue
            return command.refused(
                .notAllowed,
                "The agent's [commands] allow lacks \"\(name)\". "
                    + "Try: allow_also = [\"\(name)\"] in [commands] of its agent.toml."
            )
        }
        guard command.action.wakes, !self.isAllowed(.wake) else { return nil }
        return command.refused(
            .notAllowed,
            "The agent's [commands] allow lacks \"wake\", so \"wake\": true is refused. "
                + "Try: start the engine and leave \"wake\" out, or allow_also = [\"wake\"] in [commands] of its "
                + "agent.toml."
        )
    }

    /// Returns the reason why the command is refused in these circumstances; nil if it is allowed.
    ///
    /// ``refusal(ofUnsigned:)`` comes first.
    package func refusal(of command: Command, in now: Circumstances) -> Refusal? {
        if now.isRetained {
            return command.refused(
                .retained,
                "A retained command would run again at every connection. Try: publish it without retain."
            )
        }
        guard command.expiresAt - command.issuedAt <= Self.longestLife else {
            return command.refused(
                .lifetimeTooLong,
                "expires_at is more than 24 hours after issued_at. Try: an earlier expires_at."
            )
        }
        if let vehicles = now.vehicles, !command.audience.isEmpty, command.audience.isDisjoint(with: vehicles) {
            let names = command.audience.sorted().map { $0.prefix(bytes: 64) }
            return command.refused(.wrongVehicle, "The connected vehicle is not \(names.joined(separator: ", ")).")
        }
        // No other key mends what the configuration allows to nobody.
        if let refusal = self.refusal(ofForbidden: command) { return refusal }
        if let signer = command.signer, signer.role < command.action.role {
            return command.refused(
                .roleInsufficient,
                "\(signer.issuer) has the role \(signer.role.rawValue); "
                    + "the command needs \(command.action.role.rawValue)."
            )
        }
        return self.refusal(ofUntimely: command, in: now)
    }

    /// Returns the reason why the command comes at the wrong time; nil if it does not.
    private func refusal(ofUntimely command: Command, in circumstances: Circumstances) -> Refusal? {
        let now = circumstances.now
        switch circumstances.clock {
        case .unsynchronised:
            // What every observer may do does no harm if it comes late. What needs a higher role may.
            guard command.action.role > .observer else { return nil }
            return command.refused(
                .clockUnknown,
                "The clock of the agent's machine is not synchronized, so the command may have expired: only commands "
                    + "of the role observer run. Try: the command again once that clock is synchronized (there: obd-agent "
                    + "clock). Without a network: [clock] trust = \"system\" in agent.toml, which trusts any time."
            )
        case .synchronised:
            if command.action.role > .observer, let latest = circumstances.latest, now + Self.skew < latest {
                return command.refused(
                    .clockUnknown,
                    "The clock says \(now), but \(latest) has passed already, so the command may have expired. "
                        + "Try: timedatectl; if the clock is right, on the machine: sudo obd-agent clock --reset"
                )
            }
            guard command.issuedAt <= now + Self.skew else {
                return command.refused(
                    .issuedInFuture,
                    "The command was issued in the future: it is \(now) now. Try: set the clock of the sender."
                )
            }
            guard now < command.expiresAt else {
                return command.refused(
                    .expired,
                    "The command has expired: it is \(now) now. Try: send it again, with a later expires_at."
                )
            }
            return nil
        }
    }
}

extension Command {
    /// Returns the refusal of this command.
    func refused(_ reason: CommandResponse.Reason, _ message: String, retryAfter: Int? = nil) -> Refusal {
        Refusal(
            id: self.id,
            command: self.action.name.rawValue,
            issuer: self.signer?.issuer,
            reason: reason,
            message: message,
            retryAfter: retryAfter
        )
    }
}
