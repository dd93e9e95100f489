// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// The agent around a ``CommandExecutor``: the trusted keys, the identity of the vehicle, and the way to the broker.
package struct CommandHost: Sendable {
    /// Returns the names of the custom and derived parameters that are known now; another vehicle may have others.
    let known: @Sendable () -> KnownNames
    /// The members of the result of `describe` that are the same for every vehicle.
    let description: [String: JSON]
    /// Returns the keys whose signatures count now; they may change between two commands.
    let keys: @Sendable () -> TrustedKeys
    /// Returns the vehicle that is connected now.
    let identify: @Sendable () async -> CommandExecutor.Vehicle
    /// Counts a message that is not a command, or an unsigned command that needs a signature.
    let messageDropped: @Sendable () async -> Void
    /// Returns the seconds after which the responses to another unsigned command may be sent; 0 if they may now.
    let delayOfStranger: @Sendable () async -> Int
    /// Returns the seconds after which records may be published again; 0 if they may now.
    let delayOfResend: @Sendable () async -> Int
    /// Sends a response to a command's message; the text is the topic level of the vehicle.
    ///
    /// Returns the reason why the journal would not survive a power cut; nil if it would.
    let respond: @Sendable (CommandResponse, Message, String) async -> String?

    package init(
        known: @escaping @Sendable () -> KnownNames = { KnownNames() },
        description: [String: JSON],
        keys: @escaping @Sendable () -> TrustedKeys,
        identify: @escaping @Sendable () async -> CommandExecutor.Vehicle,
        messageDropped: @escaping @Sendable () async -> Void,
        delayOfStranger: @escaping @Sendable () async -> Int,
        delayOfResend: @escaping @Sendable () async -> Int,
        respond: @escaping @Sendable (CommandResponse, Message, String) async -> String?
    ) {
        self.known = known
        self.description = description
        self.keys = keys
        self.identify = identify
        self.messageDropped = messageDropped
        self.delayOfStranger = delayOfStranger
        self.delayOfResend = delayOfResend
        self.respond = respond
    }
}
