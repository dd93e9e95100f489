// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A connection to a message bus, for Swift concurrency.
///
/// sd-bus is bound to one thread, so each connection has its own thread, and no call blocks a thread of Swift.
/// Subscriptions and exported objects end with the connection. The connection ends with its last reference.
package final class BusConnection: Sendable {
    /// The bus to connect to.
    package enum Address: Hashable, Sendable {
        /// The system bus, or the bus that `DBUS_SYSTEM_BUS_ADDRESS` names.
        case system
        /// The bus at an address: `unix:path=/run/…`.
        case bus(String)
    }

    /// Answers the calls to an exported object.
    ///
    /// The handler is called on the connection's thread, so it must not block.
    package typealias Handler = @Sendable (IncomingCall) -> CallReply

    let loop: BusLoop

    /// Connects, and waits until the bus has answered a first call.
    ///
    /// - Parameter closed: called once, when either side has ended the connection.
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

    /// Calls a method and waits for its answer; a cancelled task makes no call.
    ///
    /// - Parameters:
    ///   - timeout: the time after which the answer is ignored; the peer may still complete the call.
    ///   - onAnswer: called on the connection's thread with the answer, before any later signal.
    @discardableResult
    package func call(
        _ call: MethodCall,
        timeout: Duration = .seconds(10),
        onAnswer: @escaping @Sendable ([BusValue]) -> Void = { _ in }
    ) async throws(BusError) -> [BusValue] {
        try await self.loop.call(call, timeout: timeout, onAnswer: onAnswer)
    }

    /// Calls a method without waiting for an answer; the call is sent even if the connection is closed right after.
    package func post(_ call: MethodCall) {
        self.loop.post(call)
    }

    /// Subscribes to the signals of a match rule, from the return of this call until the connection ends.
    ///
    /// - Parameters:
    ///   - rule: a match rule of the D-Bus Specification ("Match Rules").
    ///   - handler: called on the connection's thread, so it must not block.
    package func subscribe(_ rule: String, _ handler: @escaping @Sendable (Signal) -> Void) async throws(BusError) {
        try await self.loop.subscribe(rule, handler)
    }

    /// Exports an object at `path`, in place of an earlier object there.
    package func export(_ path: String, _ handler: @escaping Handler) async throws(BusError) {
        try await self.loop.export(path, handler)
    }

    /// Sends a signal.
    package func emit(_ signal: Signal) async throws(BusError) {
        try await self.loop.emit(signal)
    }

    /// Whether either side has ended the connection.
    package var isClosed: Bool { self.loop.isStopped }

    /// Ends the connection; pending calls fail.
    package func close() {
        self.loop.stop()
    }
}
