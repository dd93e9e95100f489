// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Systemd

/// A connection to `bluetoothd`, with a live copy of its objects.
final class BlueZMonitor: Sendable {
    /// The state that the bus thread writes and tasks read.
    private final class State: Sendable {
        struct Contents {
            var tree = ObjectTree()
            /// The objects that a signal has named since the last scan began: these devices are in range.
            var seen: Set<String> = []
            var isClosed = false
            var observers: [@Sendable (ObjectTree?, Signal?) -> Void] = []
        }

        let contents = Locked(Contents())
        let waiter = Waiter()

        func apply(_ signal: Signal) {
            let (observers, tree) = self.contents.withLock { contents in
                contents.tree.apply(signal)
                let path = signal.member == "InterfacesAdded" ? signal.arguments.first?.text : signal.path
                if let path { contents.seen.insert(path) }
                return (contents.observers, contents.tree)
            }
            for observer in observers { observer(tree, signal) }
            self.waiter.notify()
        }

        func reset(to objects: BusValue) {
            self.contents.withLock { $0.tree.reset(to: objects) }
        }

        func update(_ path: String, _ interface: String, to properties: BusValue) {
            self.contents.withLock { $0.tree.update(path, interface, to: properties) }
        }

        func close() {
            let observers = self.contents.withLock { contents in
                contents.isClosed = true
                defer { contents.observers = [] }
                return contents.observers
            }
            for observer in observers { observer(nil, nil) }
            self.waiter.notify()
        }
    }

    private let state: State
    private let connection: BusConnection

    /// Connects to the bus, and reads BlueZ's objects.
    init(_ address: BusConnection.Address) async throws(BluetoothError) {
        let state = State()
        self.state = state
        do throws(BusError) {
            self.connection = try await BusConnection(address) { state.close() }
        } catch {
            if case .cannotConnect(let reason) = error { throw .noBus(reason) }
            throw .noBus(error.description)
        }
        do throws(BusError) {
            for rule in Self.rules { try await self.connection.subscribe(rule) { state.apply($0) } }
            try await self.connection.subscribe(Self.ownerRule) { signal in
                // A new owner without an old one: the bus has started bluetoothd for this connection.
                if signal.arguments.dropFirst().first?.text != "" { state.close() }
            }
            try await self.connection.call(
                MethodCall(BlueZInterface.service, "/", BlueZInterface.objectManager, "GetManagedObjects"),
                // On the bus thread, in order: a signal right after the answer would otherwise be overwritten.
                onAnswer: { state.reset(to: $0.first ?? .strings([])) }
            )
        } catch {
            self.connection.close()
            let meaning = BluetoothError(error)
            // Every bluetoothd has this method, so a refusal means that bluetoothd could not be started.
            if case .refused = meaning { throw .noDaemon }
            throw meaning
        }
    }

    private static let rules = [
        "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager'",
        "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',"
            + "member='PropertiesChanged',path_namespace='/org/bluez'",
    ]

    /// The signal that `bluetoothd` ended or was replaced, which invalidates all known objects.
    private static let ownerRule =
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='org.bluez'"

    // MARK: - Objects

    /// A snapshot of the objects.
    var tree: ObjectTree { self.state.contents.withLock { $0.tree } }

    /// Whether a signal has named the object since ``clearSeen()``.
    func hasSeen(_ path: String) -> Bool { self.state.contents.withLock { $0.seen.contains(path) } }

    func clearSeen() { self.state.contents.withLock { $0.seen = [] } }

    /// Waits until `find` returns a value; returns nil at the deadline.
    ///
    /// - Throws: `.noDaemon` if `bluetoothd` ends.
    func wait<Found>(
        until deadline: MonotonicTime,
        _ find: (ObjectTree) throws(BluetoothError) -> Found?
    ) async throws(BluetoothError) -> Found? {
        let clock = BootClock()
        while true {
            let (tree, isClosed) = self.state.contents.withLock { ($0.tree, $0.isClosed) }
            guard !isClosed else { throw .noDaemon }
            if let found = try find(tree) { return found }
            guard clock.now < deadline, !Task.isCancelled else { return nil }
            _ = await EventLoop.shared.wait(until: deadline, self.state.waiter)
        }
    }

    /// Calls `observer` with every change from now on, and with nil once BlueZ is gone.
    func observe(_ observer: @escaping @Sendable (ObjectTree?, Signal?) -> Void) {
        let isClosed = self.state.contents.withLock { contents in
            if !contents.isClosed { contents.observers.append(observer) }
            return contents.isClosed
        }
        if isClosed { observer(nil, nil) }
    }

    // MARK: - Calls

    @discardableResult
    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        timeout: Duration = .seconds(10)
    ) async throws(BusError) -> [BusValue] {
        try await self.connection.call(
            MethodCall(BlueZInterface.service, path, interface, member, arguments),
            timeout: timeout
        )
    }

    /// Reads the present properties, for changes that emit no signal.
    func refresh(_ path: String, _ interface: String) async throws(BusError) {
        let state = self.state
        try await self.connection.call(
            MethodCall(BlueZInterface.service, path, BlueZInterface.properties, "GetAll", [.string(interface)]),
            // On the bus thread, in order: the change of a signal right after the answer would otherwise be undone.
            onAnswer: { state.update(path, interface, to: $0.first ?? .options([:])) }
        )
    }

    func set(_ path: String, _ interface: String, _ property: String, _ value: BusValue) async throws(BusError) {
        try await self.call(
            path,
            BlueZInterface.properties,
            "Set",
            [.string(interface), .string(property), .variant(value)]
        )
    }

    func export(_ path: String, _ handler: @escaping BusConnection.Handler) async throws(BusError) {
        try await self.connection.export(path, handler)
    }

    /// Calls a method without waiting for its answer.
    func post(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        self.connection.post(MethodCall(BlueZInterface.service, path, interface, member, arguments))
    }

    /// Ends the connection.
    func close() {
        self.connection.close()
    }
}

extension BluetoothError {
    /// Maps an error of a call to `bluetoothd`.
    init(_ error: BusError) {
        switch error {
        case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _),
            .refused("org.freedesktop.DBus.Error.NameHasNoOwner", _),
            .refused("org.freedesktop.DBus.Error.Spawn.ServiceNotFound", _), .disconnected, .timedOut:
            self = .noDaemon
        case .refused("org.freedesktop.DBus.Error.AccessDenied", _):
            self = .noPermission
        default:
            self = .refused(error.description)
        }
    }
}
