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

/// A signal, sent or received.
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

/// A method call from another program to an exported object.
package struct IncomingCall: Hashable, Sendable {
    package var sender: String
    package var path: String
    package var interface: String
    package var member: String
    package var arguments: [BusValue]
}

/// The answer of an exported object.
package enum CallReply: Hashable, Sendable {
    case success([BusValue])
    /// An error: its name, such as `org.bluez.Error.Rejected`, and a message for users.
    case failure(name: String, message: String)
}
