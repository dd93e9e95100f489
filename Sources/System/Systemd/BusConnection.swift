// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A connection to a message bus, for Swift concurrency.
///
/// sd-bus belongs to one thread, so the connection has one of its own; no call here blocks a thread of Swift's. What is
/// subscribed or exported ends with the connection, and the connection with its last reference.
package final class BusConnection: Sendable {
    /// Which bus.
    package enum Address: Hashable, Sendable {
        /// The system's, or the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
        case system
        /// Any other: `unix:path=/run/…`.
        case bus(String)
    }

    /// Serves the calls to an object of ours.
    ///
    /// It is called on the connection's thread, so it must not block.
    package typealias Handler = @Sendable (IncomingCall) -> CallReply

    let loop: BusLoop

    /// Connects, and waits until the bus has said who it is.
    ///
    /// - Parameter closed: called once, when the connection has ended, whoever ended it.
    package init(
        _ address: Address = .system,
        closed: @escaping @Sendable () -> Void = {}
    ) async throws(BusError) {
        self.loop = try BusLoop(address, closed: closed)
        let hello = MethodCall("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
        do throws(BusError) {
            _ = try await self.loop.call(hello, timeout: .seconds(5)) { _ in }
        } catch {
            self.loop.stop()
            throw .cannotConnect(error.description)
        }
    }

    deinit {
        self.loop.stop()
    }

    /// Calls a method and waits for its answer; a cancelled task's call is not made.
    ///
    /// - Parameters:
    ///   - timeout: after which the answer does not count any more; the other side goes on all the same.
    ///   - onAnswer: called on the connection's thread with the answer, before any signal that came after it.
    @discardableResult
    package func call(
        _ call: MethodCall,
        timeout: Duration = .seconds(10),
        onAnswer: @escaping @Sendable ([BusValue]) -> Void = { _ in }
    ) async throws(BusError) -> [BusValue] {
        try await self.loop.call(call, timeout: timeout, onAnswer: onAnswer)
    }

    /// Calls a method and does not wait for an answer; it leaves even if the connection is closed right after.
    package func post(_ call: MethodCall) {
        self.loop.post(call)
    }

    /// Takes the signals that a match rule describes, from when this returns until the connection ends.
    ///
    /// - Parameters:
    ///   - rule: as the D-Bus Specification has it under "Match Rules".
    ///   - handler: called on the connection's thread, so it must not block.
    package func subscribe(_ rule: String, _ handler: @escaping @Sendable (Signal) -> Void) async throws(BusError) {
        try await self.loop.subscribe(rule, handler)
    }

    /// Answers calls to `path` from now on, in place of whoever did before.
    package func export(_ path: String, _ handler: @escaping Handler) async throws(BusError) {
        try await self.loop.export(path, handler)
    }

    /// Sends a signal.
    package func emit(_ signal: Signal) async throws(BusError) {
        try await self.loop.emit(signal)
    }

    /// Whether the connection has ended, whoever ended it.
    package var isClosed: Bool { self.loop.isStopped }

    /// Ends the connection: what waits for an answer fails.
    package func close() {
        self.loop.stop()
    }
}
