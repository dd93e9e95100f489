// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import CMosquitto
internal import Glibc

/// Outgoing properties in libmosquitto's own form; freed with this value.
@safe
struct PropertyList: ~Copyable {
    private(set) var pointer: OpaquePointer?

    deinit {
        var pointer = unsafe self.pointer
        unsafe mosquitto_property_free_all(&pointer)
    }

    mutating func add(_ identifier: mqtt5_property, _ value: UInt32) throws(MQTTError) {
        try check(unsafe mosquitto_property_add_int32(&self.pointer, Int32(identifier.rawValue), value))
    }

    mutating func add(_ identifier: mqtt5_property, _ value: UInt16) throws(MQTTError) {
        try check(unsafe mosquitto_property_add_int16(&self.pointer, Int32(identifier.rawValue), value))
    }

    private mutating func add(_ identifier: mqtt5_property, _ text: String) throws(MQTTError) {
        try check(text)
        try check(unsafe mosquitto_property_add_string(&self.pointer, Int32(identifier.rawValue), text))
    }

    /// Adds all of `properties`.
    mutating func add(_ properties: Message.Properties) throws(MQTTError) {
        if let topic = properties.responseTopic { try self.add(MQTT_PROP_RESPONSE_TOPIC, topic.description) }
        if let data = properties.correlationData {
            guard let count = UInt16(exactly: data.count) else { throw .tooLarge }
            let identifier = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
            try check(unsafe mosquitto_property_add_binary(&self.pointer, identifier, data, count))
        }
        if let expiry = properties.expiry { try self.add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, expiry) }
        if let type = properties.contentType { try self.add(MQTT_PROP_CONTENT_TYPE, type) }
        for property in properties.userProperties {
            try check(property.name)
            try check(property.value)
            let identifier = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
            let code = unsafe mosquitto_property_add_string_pair(
                &self.pointer,
                identifier,
                property.name,
                property.value
            )
            try check(code)
        }
    }

    /// Passes ownership of the list to the library, which frees it.
    consuming func take() -> OpaquePointer? {
        let pointer = unsafe self.pointer
        unsafe self.pointer = nil
        return unsafe pointer
    }
}

extension Message.Properties {
    /// Reads the properties that the library has received, and omits invalid ones.
    init(_ list: OpaquePointer?) {
        self.init()
        guard let list = unsafe list else { return }

        if let text = unsafe Self.text(of: MQTT_PROP_RESPONSE_TOPIC, in: list) {
            self.responseTopic = try? Topic(text)
        }
        self.contentType = unsafe Self.text(of: MQTT_PROP_CONTENT_TYPE, in: list)

        var data: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        let correlation = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        if unsafe mosquitto_property_read_binary(list, correlation, &data, &count, false) != nil {
            self.correlationData = unsafe Array(
                UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(count))
            )
            unsafe free(data)
        }

        var expiry: UInt32 = 0
        let interval = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
        if unsafe mosquitto_property_read_int32(list, interval, &expiry, false) != nil { self.expiry = expiry }

        var position: OpaquePointer? = unsafe list
        var isFirst = true
        while let from = unsafe position {
            var name: UnsafeMutablePointer<CChar>?
            var value: UnsafeMutablePointer<CChar>?
            let user = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
            unsafe position = mosquitto_property_read_string_pair(from, user, &name, &value, !isFirst)
            isFirst = false
            if let name = unsafe copyAndFree(name), let value = unsafe copyAndFree(value) {
                self.userProperties.append(Message.UserProperty(name: name, value: value))
            }
        }
    }

    private static func text(of identifier: mqtt5_property, in list: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        _ = unsafe mosquitto_property_read_string(list, Int32(identifier.rawValue), &text, false)
        return unsafe copyAndFree(text)
    }
}

/// Copies the text at `pointer`, which came from `malloc`, and frees it; returns `nil` if it is not UTF-8.
private func copyAndFree(_ pointer: UnsafeMutablePointer<CChar>?) -> String? {
    guard let pointer = unsafe pointer else { return nil }
    defer { unsafe free(pointer) }
    return unsafe String(validatingCString: pointer)
}

/// Refuses a text with a NUL, at which C would cut it short, and a text that is too long for MQTT.
func check(_ text: String) throws(MQTTError) {
    if text.utf8.contains(0) { throw .invalid("a text with a NUL") }
    if text.utf8.count > 65535 { throw .tooLarge }
}

/// Throws the error for a result code of the library, unless the code means success.
func check(_ code: Int32) throws(MQTTError) {
    switch code {
    case MOSQ_ERR_SUCCESS.rawValue:
        return
    case MOSQ_ERR_NO_CONN.rawValue, MOSQ_ERR_CONN_LOST.rawValue:
        throw .notConnected
    case MOSQ_ERR_PAYLOAD_SIZE.rawValue, MOSQ_ERR_OVERSIZE_PACKET.rawValue:
        throw .tooLarge
    default:
        throw .invalid(unsafe String(cString: mosquitto_strerror(code)))
    }
}
