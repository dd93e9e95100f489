// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// Reads the values of a received message.
enum MessageReader {
    /// Returns the arguments of a message, up to the first that cannot be read.
    static func arguments(of message: BusMessage) -> [BusValue] {
        Self.values(in: message)
    }

    private static func values(in message: BusMessage) -> [BusValue] {
        var values: [BusValue] = []
        while unsafe sd_bus_message_at_end(message.pointer, 0) == 0, let value = Self.value(in: message) {
            values.append(value)
        }
        return values
    }

    private static func value(in message: BusMessage) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_peek_type(message.pointer, &type, &contents) > 0 else { return nil }
        let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        switch UInt8(truncatingIfNeeded: type) {
        case UInt8(ascii: "b"):
            return Self.basic(type, Int32(0), message).map { .boolean($0 != 0) }
        case UInt8(ascii: "y"): return Self.basic(type, UInt8(0), message).map { .byte($0) }
        case UInt8(ascii: "n"): return Self.basic(type, Int16(0), message).map { .int16($0) }
        case UInt8(ascii: "q"): return Self.basic(type, UInt16(0), message).map { .uint16($0) }
        case UInt8(ascii: "i"): return Self.basic(type, Int32(0), message).map { .int32($0) }
        case UInt8(ascii: "u"): return Self.basic(type, UInt32(0), message).map { .uint32($0) }
        case UInt8(ascii: "x"): return Self.basic(type, Int64(0), message).map { .int64($0) }
        case UInt8(ascii: "t"): return Self.basic(type, UInt64(0), message).map { .uint64($0) }
        case UInt8(ascii: "d"): return Self.basic(type, Double(0), message).map { .double($0) }
        case UInt8(ascii: "s"): return Self.text(type, message).map { .string($0) }
        case UInt8(ascii: "o"): return Self.text(type, message).map { .objectPath($0) }
        case UInt8(ascii: "g"): return Self.text(type, message).map { .signature($0) }
        case UInt8(ascii: "h"):
            // The message owns the descriptor, so the value needs a copy.
            return Self.basic(type, Int32(-1), message).flatMap { OwnedDescriptor(copyOf: $0) }.map { .descriptor($0) }
        case UInt8(ascii: "a") where inner == "y": return Self.bytes(in: message)
        case UInt8(ascii: "a") where inner.first == "{":
            return Self.container(type, inner, message).map { entries in
                var dictionary: [BusValue: BusValue] = [:]
                for case .structure(let entry) in entries where entry.count == 2 { dictionary[entry[0]] = entry[1] }
                let types = inner.dropFirst().dropLast()
                return .dictionary(dictionary, key: String(types.prefix(1)), value: String(types.dropFirst()))
            }
        case UInt8(ascii: "a"): return Self.container(type, inner, message).map { .array($0, of: inner) }
        case UInt8(ascii: "e"), UInt8(ascii: "r"): return Self.container(type, inner, message).map { .structure($0) }
        case UInt8(ascii: "v"): return Self.container(type, inner, message)?.first.map { .variant($0) }
        default: return nil
        }
    }

    private static func basic<Value: BitwiseCopyable>(
        _ type: CChar,
        _ initial: Value,
        _ message: BusMessage
    ) -> Value? {
        var value = initial
        let result = unsafe withUnsafeMutablePointer(to: &value) {
            unsafe sd_bus_message_read_basic(message.pointer, type, $0)
        }
        return result > 0 ? value : nil
    }

    private static func text(_ type: CChar, _ message: BusMessage) -> String? {
        var text: UnsafePointer<CChar>?
        let result = unsafe withUnsafeMutablePointer(to: &text) {
            unsafe sd_bus_message_read_basic(message.pointer, type, $0)
        }
        guard result > 0, let text = unsafe text else { return nil }
        return unsafe String(cString: text)
    }

    private static func bytes(in message: BusMessage) -> BusValue? {
        var start: UnsafeRawPointer?
        var size = 0
        guard unsafe sd_bus_message_read_array(message.pointer, code("y"), &start, &size) >= 0 else { return nil }
        return unsafe .bytes(Array(UnsafeRawBufferPointer(start: start, count: size)))
    }

    private static func container(_ type: CChar, _ contents: String, _ message: BusMessage) -> [BusValue]? {
        guard unsafe sd_bus_message_enter_container(message.pointer, type, contents) > 0 else { return nil }
        let values = Self.values(in: message)
        guard unsafe sd_bus_message_exit_container(message.pointer) >= 0 else { return nil }
        return values
    }
}
