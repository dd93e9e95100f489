// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Systemd
import TestSupport

/// A bus with one program that answers calls according to their member.
final class Echo: Sendable {
    static let path = "/org/example/echo"
    static let interface = "org.example.Echo"

    let bus: MessageBus
    /// The connection of the program that answers.
    let server: BusConnection
    /// The server's unique name.
    let name: String

    init() async throws {
        self.bus = try await MessageBus()
        self.server = try await BusConnection(.bus(self.bus.address))
        self.name = try await Self.uniqueName(of: self.server)
        try await self.server.export(Self.path, Self.answer)
    }

    /// Creates another connection to the bus.
    func client() async throws -> BusConnection {
        try await BusConnection(.bus(self.bus.address))
    }

    func call(_ member: String, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(self.name, Self.path, Self.interface, member, arguments)
    }

    func signal(_ member: String, _ arguments: [BusValue] = []) -> Signal {
        Signal(path: Self.path, interface: Self.interface, member: member, arguments: arguments)
    }

    /// Returns the unique name of a connection, read from the sender of its own signal.
    private static func uniqueName(of connection: BusConnection) async throws -> String {
        let (names, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        let rule = "type='signal',interface='\(Self.interface)',member='WhoAmI'"
        try await connection.subscribe(rule) { continuation.yield($0.sender) }
        try await connection.emit(Signal(path: Self.path, interface: Self.interface, member: "WhoAmI", arguments: []))
        return try await names.next("the connection's own signal")
    }

    private static func answer(_ call: IncomingCall) -> CallReply {
        switch call.member {
        case "Echo": .success(call.arguments)
        case "Fail": .failure(name: "org.example.Error.OnPurpose", message: "as you \"like\" it – ü")
        case "FailBadly": .failure(name: "no name at all", message: "")
        // An answer that cannot be written must become an error.
        case "AnswerNonsense": .success([.objectPath("not a path")])
        default: .failure(name: "org.freedesktop.DBus.Error.UnknownMethod", message: call.member)
        }
    }
}
