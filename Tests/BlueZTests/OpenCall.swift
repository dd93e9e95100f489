// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd

@testable import Systemd

/// A call to an exported object that may be answered later; used on the bus thread only.
@safe
final class OpenCall: @unchecked Sendable {
    let call: IncomingCall
    private let message: OpaquePointer
    private var isAnswered = false

    fileprivate init(_ message: BusMessage) {
        unsafe self.message = sd_bus_message_ref(message.pointer)
        self.call = IncomingCall(
            sender: message.sender,
            path: message.path,
            interface: message.interface,
            member: message.member,
            arguments: MessageReader.arguments(of: message)
        )
    }

    deinit {
        unsafe sd_bus_message_unref(self.message)
    }

    func answer(_ values: BusValue...) {
        self.send(.success(values))
    }

    func fail(_ name: String, _ message: String = "") {
        self.send(.failure(name: name.contains(".") ? name : "org.bluez.Error.\(name)", message: message))
    }

    private func send(_ reply: CallReply) {
        guard !self.isAnswered, let message = unsafe BusMessage(self.message) else { return }
        self.isAnswered = true
        _ = ExportedObject.send(reply, to: message)
    }
}

/// Serves the calls to every path of a connection.
final class AllObjects: Sendable {
    private let serve: @Sendable (OpenCall) -> Void

    init(of connection: BusConnection, _ serve: @escaping @Sendable (OpenCall) -> Void) async throws {
        self.serve = serve
        try await connection.loop.performing { () throws(BusError) in
            // The bus releases the slot.
            let result = unsafe sd_bus_add_fallback(
                connection.loop.bus,
                nil,
                "/",
                { message, objects, _ in
                    guard let message = unsafe BusMessage(message), let objects = unsafe objects,
                        unsafe sd_bus_message_is_method_call(message.pointer, nil, nil) > 0
                    else { return 0 }
                    let call = OpenCall(message)
                    unsafe Unmanaged<AllObjects>.fromOpaque(objects).takeUnretainedValue().serve(call)
                    return 1
                },
                unsafe Unmanaged.passUnretained(self).toOpaque()
            )
            guard result >= 0 else { throw .invalid("sd_bus_add_fallback: \(result)") }
        }
    }
}

extension BusConnection {
    /// Runs `body` on the connection's thread, and waits for its end.
    func performOnThread(_ body: @escaping @Sendable () -> Void) async throws(BusError) {
        try await self.loop.performing { () throws(BusError) in body() }
    }
}
