// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import EventLoop
import Glibc

/// A call that waits for its answer; the context of sd-bus's callback.
@safe
final class PendingCall: @unchecked Sendable {
    unowned let loop: BusLoop
    private let onAnswer: @Sendable ([BusValue]) -> Void
    /// The result, kept outside the continuation: the thread sanitizer does not always see a value that one passes on.
    private let outcome = Locked<Result<[BusValue], BusError>?>(nil)
    // Accessed by the bus thread only.
    private var continuation: CheckedContinuation<Void, Never>?
    var slot: OpaquePointer?

    init(_ loop: BusLoop, _ onAnswer: @escaping @Sendable ([BusValue]) -> Void) {
        self.loop = loop
        self.onAnswer = onAnswer
    }

    /// The result of the call; `.disconnected` if the connection had ended before the call.
    var result: Result<[BusValue], BusError> {
        self.outcome.withLock { $0 } ?? .failure(.disconnected)
    }

    /// Takes the continuation to resume; returns false if the task was cancelled before.
    func begin(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard self.outcome.withLock({ $0 == nil }) else {
            continuation.resume()
            return false
        }
        self.continuation = continuation
        return true
    }

    /// Ends the call; later results are ignored.
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

/// A subscription to signals; the context of sd-bus's callbacks.
@safe
final class Subscription: @unchecked Sendable {
    private let handler: @Sendable (Signal) -> Void
    // Accessed by the bus thread only.
    private var continuation: CheckedContinuation<Result<Void, BusError>, Never>?
    var slot: OpaquePointer?

    init(
        _ handler: @escaping @Sendable (Signal) -> Void,
        _ continuation: CheckedContinuation<Result<Void, BusError>, Never>
    ) {
        self.handler = handler
        self.continuation = continuation
    }

    func installed(_ result: Result<Void, BusError>) {
        self.continuation.take()?.resume(returning: result)
    }

    func signalReceived(_ message: BusMessage) {
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
        self.installed(.failure(.disconnected))
    }
}

/// An exported object; the context of sd-bus's callback.
@safe
final class ExportedObject: @unchecked Sendable {
    private let handler: BusConnection.Handler
    // Accessed by the bus thread only.
    var slot: OpaquePointer?

    init(_ handler: @escaping BusConnection.Handler) {
        self.handler = handler
    }

    func finish() {
        unsafe sd_bus_slot_unref(self.slot)
        unsafe self.slot = nil
    }

    /// Answers a method call; returns 1 if it was one, 0 for any other message.
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

    /// Sends the answer to a call; returns 1, or a negative error number, as sd-bus expects.
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
            // sd-bus would send an invalid name, and the bus would then disconnect.
            guard unsafe sd_bus_interface_name_is_valid(name) > 0 else { return -EINVAL }
            var error = unsafe sd_bus_error()
            defer { unsafe sd_bus_error_free(&error) }
            unsafe sd_bus_error_set(&error, name, text)
            return unsafe sd_bus_reply_method_error(message.pointer, &error) < 0 ? -EIO : 1
        }
    }
}
