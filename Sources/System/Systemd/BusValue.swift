// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value on D-Bus (D-Bus Specification, "Type System").
package enum BusValue: Hashable, Sendable {
    case boolean(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// `h`: a copy of the descriptor, owned by the value.
    case descriptor(OwnedDescriptor)
    /// `ay`, which is so common that its bytes are not separate values.
    case bytes([UInt8])
    /// An array, with the signature of its elements, because it may be empty.
    case array([BusValue], of: String)
    /// An array of dictionary entries with the signatures of key and value; the keys are unique.
    case dictionary([BusValue: BusValue], key: String, value: String)
    case structure([BusValue])
    indirect case variant(BusValue)

    /// The D-Bus signature of the value's type.
    package var signature: String {
        switch self {
        case .boolean: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .descriptor: "h"
        case .bytes: "ay"
        case .array(_, let element): "a\(element)"
        case .dictionary(_, let key, let value): "a{\(key)\(value)}"
        case .structure(let members): "(\(members.map(\.signature).joined()))"
        case .variant: "v"
        }
    }

    /// Creates a dictionary `a{sv}`, the type of properties and options.
    package static func options(_ options: [String: BusValue]) -> BusValue {
        .dictionary(
            Dictionary(options.map { (.string($0.key), .variant($0.value)) }) { first, _ in first },
            key: "s",
            value: "v"
        )
    }

    /// Creates an array of strings.
    package static func strings(_ strings: [String]) -> BusValue {
        .array(strings.map { .string($0) }, of: "s")
    }
}

// MARK: - Access through variants

extension BusValue {
    /// The value without the variants around it.
    package var unwrapped: BusValue {
        if case .variant(let value) = self { value.unwrapped } else { self }
    }

    /// The text of a string or an object path; nil for any other type.
    package var text: String? {
        switch self.unwrapped {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    package var bool: Bool? {
        if case .boolean(let value) = self.unwrapped { value } else { nil }
    }

    /// The value of any integer type; nil for any other type.
    package var integer: Int? {
        switch self.unwrapped {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    package var byteArray: [UInt8]? {
        if case .bytes(let bytes) = self.unwrapped { bytes } else { nil }
    }

    /// The elements of an array.
    package var elements: [BusValue]? {
        if case .array(let elements, _) = self.unwrapped { elements } else { nil }
    }

    /// The texts of an array of strings or paths.
    package var texts: [String]? {
        self.elements?.compactMap(\.text)
    }

    /// The entries of a dictionary whose keys are strings or paths.
    package var entries: [String: BusValue]? {
        guard case .dictionary(let entries, _, _) = self.unwrapped else { return nil }
        return Dictionary(
            entries.compactMap { key, value in key.text.map { ($0, value) } },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
