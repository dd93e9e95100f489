// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// The fixed header of a packet from a broker (MQTT 5, section 2.1), with a check of the packet's body.
struct PacketHeader {
    /// The types of packets that a broker sends.
    ///
    /// AUTH is not among them, because the agent offers no authentication method.
    enum Kind: UInt8 {
        case connack = 2
        case publish = 3
        case puback = 4
        case pubrec = 5
        case pubrel = 6
        case pubcomp = 7
        case suback = 9
        case unsuback = 11
        case pingresp = 13
        case disconnect = 14
    }

    let first: UInt8
    let kind: Kind
    /// The length of this header, in bytes.
    let size: Int
    /// The length of the packet without this header, in bytes.
    let length: Int

    var qos: UInt8 { self.kind == .publish ? self.first >> 1 & 3 : 0 }

    /// Whether libmosquitto answers this packet with another one.
    var isAnswered: Bool { self.qos > 0 || self.kind == .pubrec || self.kind == .pubrel }

    /// Reads the header at the start of `bytes`; returns `nil` if it is incomplete.
    ///
    /// - Throws: ``MQTTError/malformed(_:)``
    init?(_ bytes: ArraySlice<UInt8>, _ version: ProtocolVersion) throws(MQTTError) {
        guard let first = bytes.first else { return nil }
        guard let kind = Kind(rawValue: first >> 4) else {
            throw .malformed("a packet of type \(first >> 4), which no broker sends")
        }
        self.first = first
        self.kind = kind
        var rest = PacketBody(bytes.dropFirst())
        do {
            self.length = try rest.readVariableInteger()
        } catch {
            if bytes.count < 5 { return nil }
            throw error
        }
        self.size = rest.bytes.startIndex - bytes.startIndex
        // The agent subscribes with QoS 0 and 1 only, and libmosquitto stores messages of QoS 2 without a bound.
        if self.qos > 1 { throw .malformed("a message of QoS \(self.qos), which no subscription allows") }
    }

    /// Checks the structure of a whole body of MQTT 5 down to its last property (chapter 3).
    ///
    /// libmosquitto checks the values, and ends the connection if one is not allowed.
    ///
    /// - Throws: ``MQTTError/malformed(_:)``
    func checkBody(_ bytes: ArraySlice<UInt8>) throws(MQTTError) {
        var body = PacketBody(bytes)
        switch self.kind {
        case .connack:
            try body.skip(2)
            // An old broker refuses MQTT 5 with a CONNACK of MQTT 3.1.1, which has no properties.
            if !body.bytes.isEmpty { try body.skipProperties() }
        case .publish:
            try body.skipData()
            if self.qos > 0 { try body.skip(2) }
            return try body.skipProperties()
        case .puback, .pubrec, .pubrel, .pubcomp:
            try body.skip(2)
            try body.skipReason()
        case .suback, .unsuback:
            try body.skip(2)
            return try body.skipProperties()
        case .pingresp:
            break
        case .disconnect:
            try body.skipReason()
        }
        guard body.bytes.isEmpty else {
            throw .malformed("bytes after the end of a packet of type \(self.kind.rawValue)")
        }
    }
}

/// The rest of a packet that has not been read yet.
struct PacketBody {
    private(set) var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    mutating func skip(_ count: Int) throws(MQTTError) {
        guard self.bytes.count >= count else { throw .malformed("a packet that ends too early") }
        self.bytes.removeFirst(count)
    }

    private mutating func readByte() throws(MQTTError) -> UInt8 {
        guard let byte = self.bytes.popFirst() else { throw .malformed("a packet that ends too early") }
        return byte
    }

    /// Reads a Variable Byte Integer (MQTT 5, section 1.5.5).
    mutating func readVariableInteger() throws(MQTTError) -> Int {
        var value = 0
        for shift in [0, 7, 14, 21] {
            let byte = try self.readByte()
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw .malformed("a length of more than four bytes")
    }

    /// Skips a UTF-8 string or binary data (sections 1.5.4 and 1.5.6).
    mutating func skipData() throws(MQTTError) {
        let high = try self.readByte()
        let low = try self.readByte()
        try self.skip(Int(high) << 8 | Int(low))
    }

    /// Skips a reason code and its properties; a packet may omit both, or the properties (section 3.4.2).
    mutating func skipReason() throws(MQTTError) {
        guard !self.bytes.isEmpty else { return }
        try self.skip(1)
        if !self.bytes.isEmpty { try self.skipProperties() }
    }

    /// Skips a property list, and refuses unknown properties (section 2.2.2).
    mutating func skipProperties() throws(MQTTError) {
        let length = try self.readVariableInteger()
        guard length <= self.bytes.count else { throw .malformed("a property list that ends too early") }
        var list = PacketBody(self.bytes.prefix(length))
        try self.skip(length)
        while let identifier = list.bytes.popFirst() {
            switch identifier {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: try list.skip(1)
            case 0x13, 0x21, 0x22, 0x23: try list.skip(2)
            case 0x02, 0x11, 0x18, 0x27: try list.skip(4)
            case 0x0B: _ = try list.readVariableInteger()
            case 0x03, 0x08, 0x09, 0x12, 0x15, 0x16, 0x1A, 0x1C, 0x1F: try list.skipData()
            case 0x26:
                try list.skipData()
                try list.skipData()
            default: throw .malformed("the unknown property \(identifier)")
            }
        }
    }
}
