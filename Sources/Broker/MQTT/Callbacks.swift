// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import CMosquitto
internal import Glibc

/// Registers callbacks that call the ``ConnectionLoop`` in the library's user data.
///
/// Each callback copies its arguments, because the library frees them when the callback returns.
func setCallbacks(of client: OpaquePointer) {
    unsafe mosquitto_connect_v5_callback_set(client) { _, context, code, flags, _ in
        // Bit 0 of the CONNACK's flags (MQTT 5, section 3.2.2.1.1).
        unsafe loop(context)?.connected(code: code, sessionPresent: flags & 1 != 0)
    }
    unsafe mosquitto_publish_v5_callback_set(client) { _, context, id, code, _ in
        unsafe loop(context)?.published(id: UInt16(truncatingIfNeeded: id), code: code)
    }
    unsafe mosquitto_subscribe_v5_callback_set(client) { _, context, id, count, codes, _ in
        let codes = unsafe Array(UnsafeBufferPointer(start: codes, count: codes == nil ? 0 : max(0, Int(count))))
        unsafe loop(context)?.subscribed(id: UInt16(truncatingIfNeeded: id), codes: codes)
    }
    unsafe mosquitto_unsubscribe_v5_callback_set(client) { _, context, id, _ in
        unsafe loop(context)?.unsubscribed(id: UInt16(truncatingIfNeeded: id))
    }
    unsafe mosquitto_message_v5_callback_set(client) { _, context, message, properties in
        guard let message = unsafe message?.pointee else { return }
        let id = unsafe PacketID(rawValue: UInt16(truncatingIfNeeded: message.mid))
        unsafe loop(context)?.received(unsafe Message(message, properties), as: id)
    }
    unsafe mosquitto_disconnect_v5_callback_set(client) { _, context, code, _ in
        let reason = unsafe String(cString: mosquitto_reason_string(code))
        unsafe loop(context)?.disconnected(code: code, reason: reason)
    }
    unsafe mosquitto_log_callback_set(client) { _, context, level, text in
        // The library sends PINGREQ by itself, and reports it only in its log.
        guard level == MOSQ_LOG_DEBUG, let text = unsafe text, unsafe strstr(text, " sending PINGREQ") != nil else {
            return
        }
        unsafe loop(context)?.pinged()
    }
}

private func loop(_ context: UnsafeMutableRawPointer?) -> ConnectionLoop? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<ConnectionLoop>.fromOpaque(context).takeUnretainedValue()
}

extension Message {
    /// Copies a message that the library has received; returns `nil` if its topic, length or QoS is invalid.
    fileprivate init?(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let text = unsafe message.topic, let name = unsafe String(validatingCString: text),
            let topic = try? Topic(name),
            let count = unsafe Int(exactly: message.payloadlen), count >= 0,
            let qos = unsafe UInt8(exactly: message.qos).flatMap(QoS.init)
        else { return nil }

        let bytes = unsafe UnsafeRawBufferPointer(start: message.payload, count: message.payload == nil ? 0 : count)
        self.init(
            topic: topic,
            payload: unsafe Array(bytes),
            qos: qos,
            retain: unsafe message.retain,
            properties: unsafe Properties(properties)
        )
    }
}
