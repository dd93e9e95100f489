// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// A message to a topic below `commands`, such as `commands/read_codes`, which stands for a whole command.
///
/// A wall switch publishes one fixed text, without an id and a time. So a press counts at once or never, and only for
/// commands that read, and for the one that wakes the vehicle.
struct ButtonPress: Hashable, Sendable {
    /// The commands that may have such a topic.
    static let commands: [CommandName: Command.Action] = [
        .readCodes: .readCodes, .wake: .wake(for: .seconds(CommandLimits.buttonWakeSeconds)),
    ]
    /// The largest payload, in bytes; its content does not matter.
    static let limit = 1024
    /// The time within which a press must have the bus.
    private static let lifetime = Duration.seconds(60)

    /// The name of the command, which is the last level of the topic.
    let name: String

    /// Returns nil for the topic of complete commands.
    init?(_ topic: Topic) {
        let levels = topic.description.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let last = levels.last, !last.elementsEqual("commands".utf8) else { return nil }
        self.name = String(Substring(last)).prefix(bytes: 64)
    }

    /// Returns the command of a press.
    ///
    /// - Parameters:
    ///   - id: an id that no command had before.
    ///   - now: the time of the press.
    func command(_ message: Message, id: String, _ guardian: CommandGuard, at now: Timestamp) throws(Refusal) -> Command
    {
        guard let name = CommandName(rawValue: self.name), let action = Self.commands[name],
            guardian.hasButton(name)
        else {
            let reason = CommandResponse.Reason.notAllowed
            throw Refusal(command: self.name, reason: reason, message: "[commands] buttons lacks \"\(self.name)\".")
        }
        let command = Command(id: id, action: action, issuedAt: now, expiresAt: now + Self.lifetime)
        guard !message.retain else {
            throw command.refused(
                .retained,
                "A retained press would count again at every connection. Try: publish it without retain."
            )
        }
        guard message.payload.count <= Self.limit else {
            let size = "\(message.payload.count) bytes"
            throw command.refused(.malformed, "A press has at most \(Self.limit) bytes; this has \(size).")
        }
        return command
    }
}
