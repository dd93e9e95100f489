// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import EventLoop
import Glibc

/// A call that waits for its answer, as sd-bus's callback finds it.
@safe
final class PendingCall: @unchecked Sendable {
    unowned let loop: BusLoop
    private let onAnswer: @Sendable ([BusValue]) -> Void
    /// Not the continuation's: the thread sanitizer does not always see what a continuation hands over.
    private let outcome = Locked<Result<[BusValue], BusError>?>(nil)
    // Touched by the bus's thread only.
    private var continuation: CheckedContinuation<Void, Never>?
    var slot: OpaquePointer?

    init(_ loop: BusLoop, _ onAnswer: @escaping @Sendable ([BusValue]) -> Void) {
        self.loop = loop
        self.onAnswer = onAnswer
    }

    /// What came of it; a call that the connection did not take any more has nothing.
    var result: Result<[BusValue], BusError> {
        self.outcome.withLock { $0 } ?? .failure(.disconnected)
    }

    /// Takes whom to tell; false where the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard self.outcome.withLock({ $0 == nil }) else {
            continuation.resume()
            return false
        }
        self.continuation = continuation
        return true
    }

    /// Ends the call; what comes later does not count.
    func finish(_ result: Result<[BusValue], BusError>) {
        unsafe sd_bus_slot_unref(self.slot)
        unsafe self.slot = nil
        let isFirst = self.outcome.withLock { outcome in
            defer { outcome = outcome ?? result }
            return outcome == nil
        }
        if isFirst, case .success(let values) = result { self.onAnswer(values) }
        self.continuation.take()?.resume()
    }
}

/// A subscription, as sd-bus's callbacks find it.
@safe
final class Subscription: @unchecked Sendable {
    private let handler: @Sendable (Signal) -> Void
    // Touched by the bus's thread only.
    private var installed: CheckedContinuation<Result<Void, BusError>, Never>?
    var slot: OpaquePointer?

    init(
        _ handler: @escaping @Sendable (Signal) -> Void,
        _ installed: CheckedContinuation<Result<Void, BusError>, Never>
    ) {
        self.handler = handler
        self.installed = installed
    }

    func install(_ result: Result<Void, BusError>) {
        self.installed.take()?.resume(returning: result)
    }

    func take(_ message: BusMessage) {
        self.handler(
            Signal(
                sender: message.sender,
                path: message.path,
                interface: message.interface,
                member: message.member,
                arguments: MessageReader.arguments(of: message)
            )
        )
    }

    func finish() {
        unsafe sd_bus_slot_unref(self.slot)
        unsafe self.slot = nil
        self.install(.failure(.disconnected))
    }
}

/// An object of ours, as sd-bus's callback finds it.
@safe
final class ExportedObject: @unchecked Sendable {
    private let handler: BusConnection.Handler
    // Touched by the bus's thread only.
    var slot: OpaquePointer?

    init(_ handler: @escaping BusConnection.Handler) {
        self.handler = handler
    }

    func finish() {
        unsafe sd_bus_slot_unref(self.slot)
        unsafe self.slot = nil
    }

    /// Answers a call; 1 where it was one.
    func answer(_ message: BusMessage) -> Int32 {
        guard unsafe sd_bus_message_is_method_call(message.pointer, nil, nil) > 0 else { return 0 }
        let call = IncomingCall(
            sender: message.sender,
            path: message.path,
            interface: message.interface,
            member: message.member,
            arguments: MessageReader.arguments(of: message)
        )
        return Self.send(self.handler(call), to: message)
    }

    /// Sends the answer to a call; as sd-bus wants it, 1 or what went wrong.
    static func send(_ reply: CallReply, to message: BusMessage) -> Int32 {
        switch reply {
        case .success(let values):
            var pointer: OpaquePointer?
            defer { unsafe sd_bus_message_unref(pointer) }
            guard unsafe sd_bus_message_new_method_return(message.pointer, &pointer) >= 0,
                let reply = unsafe BusMessage(pointer)
            else { return -ENOMEM }
            guard (try? MessageWriter.append(values, to: reply)) != nil else { return -EINVAL }
            return unsafe sd_bus_send(sd_bus_message_get_bus(message.pointer), reply.pointer, nil) < 0 ? -EIO : 1
        case .failure(let name, let text):
            // sd-bus would send it all the same, and the bus hang up.
            guard unsafe sd_bus_interface_name_is_valid(name) > 0 else { return -EINVAL }
            var error = unsafe sd_bus_error()
            defer { unsafe sd_bus_error_free(&error) }
            unsafe sd_bus_error_set(&error, name, text)
            return unsafe sd_bus_reply_method_error(message.pointer, &error) < 0 ? -EIO : 1
        }
    }
}
