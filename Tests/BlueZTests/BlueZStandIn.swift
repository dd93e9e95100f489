// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import Systemd
import TestSupport

/// A stand-in for `bluetoothd` on a private bus.
final class BlueZStandIn: Sendable {
    let bus: MessageBus
    private let connection: BusConnection
    private let world: StandInWorld

    /// The presence of a controller, and the result of switching it on.
    enum Controller: Sendable, Equatable {
        case none, on, off, blocked
        case staysOff
        case refuses(String)
    }

    init(_ devices: StandInDevice..., controller: Controller = .on, bus: MessageBus? = nil) async throws {
        if let bus { self.bus = bus } else { self.bus = try await MessageBus() }
        let connection = try await BusConnection(.bus(self.bus.address))
        self.connection = connection
        let world = StandInWorld(connection, controller, devices)
        self.world = world
        let objects = try await AllObjects(of: connection) { world.serve($0) }
        try await connection.subscribe("type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'") {
            signal in
            // The handler keeps the objects alive until the end of the bus.
            withExtendedLifetime(objects) {
                if let name = signal.arguments.first?.text, signal.arguments.last?.text == "" {
                    world.clientVanished(name)
                }
            }
        }
        try await self.takeName()
    }

    deinit {
        self.connection.close()
    }

    @discardableResult
    private func daemon(_ member: String, _ arguments: [BusValue] = []) async throws -> [BusValue] {
        let name = "org.freedesktop.DBus"
        return try await self.connection.call(MethodCall(name, "/org/freedesktop/DBus", name, member, arguments))
    }

    /// Acquires the name `org.bluez`.
    func takeName() async throws {
        try await self.daemon("RequestName", [.string("org.bluez"), .uint32(4)])
    }

    /// Releases the name `org.bluez`.
    func leaveName() async throws {
        try await self.daemon("ReleaseName", [.string("org.bluez")])
    }

    /// Returns the number of programs on the bus.
    func clients() async throws -> Int {
        try await self.daemon("ListNames").first?.texts?.count { $0.hasPrefix(":") } ?? 0
    }

    /// Disappears like a killed program, with open calls.
    func die() {
        self.connection.close()
    }

    /// Reads or changes the world on the bus thread.
    @discardableResult
    func perform<Result: Sendable>(_ body: @escaping @Sendable (StandInWorld) -> Result) async throws -> Result {
        let world = self.world
        let result = Locked<Result?>(nil)
        try await self.connection.performOnThread { result.withLock { $0 = body(world) } }
        guard let value = result.withLock({ $0 }) else { throw BusError.disconnected }
        return value
    }

    /// Returns the number of calls of a method.
    func count(of member: String) async throws -> Int {
        try await self.perform { world in world.journal.count { $0 == member } }
    }

    func isConnected(_ device: StandInDevice) async throws -> Bool {
        try await self.perform { $0.isConnected(device.path) }
    }

    /// Waits until the device is disconnected.
    func awaitRelease(of device: StandInDevice) async throws {
        try await eventually("the device is disconnected") { try await !self.isConnected(device) }
    }
}
