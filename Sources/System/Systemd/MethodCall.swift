// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A method call to another program.
package struct MethodCall: Hashable, Sendable {
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    package init(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A signal that somebody sent.
package struct Signal: Hashable, Sendable {
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    package init(sender: String = "", path: String, interface: String, member: String, arguments: [BusValue]) {
        self.sender = sender
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// A method call that somebody makes to an object of ours.
package struct IncomingCall: Hashable, Sendable {
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
}

/// What an object of ours answers.
package enum CallReply: Hashable, Sendable {
    case success([BusValue])
    /// An error: its name, such as `org.bluez.Error.Rejected`, and words for people.
    case failure(name: String, message: String)
}
