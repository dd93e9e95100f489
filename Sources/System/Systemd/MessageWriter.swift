// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc

/// Appends values to a message under construction.
enum MessageWriter {
    static func append(_ values: [BusValue], to message: BusMessage) throws(BusError) {
        for value in values { try Self.append(value, to: message) }
    }

    private static func append(_ value: BusValue, to message: BusMessage) throws(BusError) {
        switch value {
        case .boolean(let value):
            var number: Int32 = value ? 1 : 0
            try Self.basic("b", &number, message)
        case .byte(var value): try Self.basic("y", &value, message)
        case .int16(var value): try Self.basic("n", &value, message)
        case .uint16(var value): try Self.basic("q", &value, message)
        case .int32(var value): try Self.basic("i", &value, message)
        case .uint32(var value): try Self.basic("u", &value, message)
        case .int64(var value): try Self.basic("x", &value, message)
        case .uint64(var value): try Self.basic("t", &value, message)
        case .double(var value): try Self.basic("d", &value, message)
        case .string(let text): try Self.text("s", text, message)
        case .objectPath(let text): try Self.text("o", text, message)
        case .signature(let text): try Self.text("g", text, message)
        case .descriptor(let descriptor):
            var number = descriptor.borrowed
            try Self.basic("h", &number, message)
        case .bytes(let bytes):
            let result = unsafe bytes.withUnsafeBytes { raw in
                unsafe sd_bus_message_append_array(message.pointer, code("y"), raw.baseAddress, raw.count)
            }
            try Self.check(result)
        case .array(let elements, let element):
            try Self.container("a", element, message) { () throws(BusError) in try Self.append(elements, to: message) }
        case .dictionary(let entries, let key, let value):
            try Self.container("a", "{\(key)\(value)}", message) { () throws(BusError) in
                for entry in entries {
                    try Self.container("e", key + value, message) { () throws(BusError) in
                        try Self.append([entry.key, entry.value], to: message)
                    }
                }
            }
        case .structure(let members):
            try Self.container("r", members.map(\.signature).joined(), message) { () throws(BusError) in
                try Self.append(members, to: message)
            }
        case .variant(let value):
            try Self.container("v", value.signature, message) { () throws(BusError) in
                try Self.append(value, to: message)
            }
        }
    }

    private static func basic<Value: BitwiseCopyable>(
        _ type: Character,
        _ value: inout Value,
        _ message: BusMessage
    ) throws(BusError) {
        try Self.check(
            unsafe withUnsafePointer(to: &value) { unsafe sd_bus_message_append_basic(message.pointer, code(type), $0) }
        )
    }

    private static func text(_ type: Character, _ text: String, _ message: BusMessage) throws(BusError) {
        try Self.check(text)
        try Self.check(unsafe text.withCString { unsafe sd_bus_message_append_basic(message.pointer, code(type), $0) })
    }

    private static func container(
        _ type: Character,
        _ contents: String,
        _ message: BusMessage,
        _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        // D-Bus has no empty structure. sd-bus would send one, and the bus would then disconnect.
        guard !contents.isEmpty, !contents.contains("()") else { throw .invalid("an empty structure") }
        try Self.check(unsafe sd_bus_message_open_container(message.pointer, code(type), contents))
        try body()
        try Self.check(unsafe sd_bus_message_close_container(message.pointer))
    }

    /// Throws if a text contains a NUL, which would silently truncate it.
    static func check(_ texts: String...) throws(BusError) {
        guard !texts.contains(where: { $0.utf8.contains(0) }) else { throw .invalid("a text contains a NUL") }
    }

    private static func check(_ result: Int32) throws(BusError) {
        guard result >= 0 else { throw .invalid(systemText(-result)) }
    }
}

/// Returns a type code for libsystemd.
func code(_ character: Character) -> CChar {
    CChar(truncatingIfNeeded: character.asciiValue ?? 0)
}

/// Returns the system's text for an error number.
func systemText(_ number: Int32) -> String {
    guard let text = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: text)
}
