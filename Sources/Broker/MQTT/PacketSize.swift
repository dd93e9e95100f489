// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The sizes of a client's packets in bytes, TLS excluded (MQTT 5, chapters 2 and 3; 3.1.1 likewise).
///
/// They are computed because libmosquitto does not report what it writes. A test compares them with the bytes that
/// arrive at a broker.
package enum PacketSize {
    /// PINGREQ, and DISCONNECT without a reason code (sections 3.12, 3.14).
    static let empty = 2
    /// PUBACK, PUBREC and PUBCOMP of an accepted message (sections 3.4, 3.5, 3.7).
    package static let acknowledgement = 4

    /// PUBLISH (section 3.3).
    package static func publish(_ message: Message, _ version: ProtocolVersion) -> Int {
        let id = message.qos == .atMostOnce ? 0 : 2
        let properties = Self.properties(of: message, version)
        return Self.packet(Self.text(message.topic.description) + id + properties + message.payload.count)
    }

    /// CONNECT (section 3.1).
    package static func connect(_ options: ConnectionOptions) -> Int {
        // Protocol name, protocol version, flags, keep alive.
        var length = 10 + Self.text(options.clientID)
        // Receive Maximum, which libmosquitto always sends, and Session Expiry Interval.
        if options.version == .v5 { length += Self.list(3 + (options.sessionExpiry > .zero ? 5 : 0)) }
        if let will = options.will {
            length += Self.properties(of: will, options.version)
            length += Self.text(will.topic.description) + 2 + will.payload.count
        }
        for text in [options.username, options.password] { length += text.map(Self.text) ?? 0 }
        return Self.packet(length)
    }

    /// SUBSCRIBE (section 3.8), without a property.
    static func subscribe(_ filters: [TopicFilter], _ version: ProtocolVersion) -> Int {
        let filters = filters.reduce(0) { $0 + Self.text($1.description) + 1 }
        return Self.packet(2 + (version == .v5 ? Self.list(0) : 0) + filters)
    }

    /// UNSUBSCRIBE (section 3.10), without a property.
    static func unsubscribe(_ filters: [TopicFilter], _ version: ProtocolVersion) -> Int {
        let filters = filters.reduce(0) { $0 + Self.text($1.description) }
        return Self.packet(2 + (version == .v5 ? Self.list(0) : 0) + filters)
    }

    /// DISCONNECT (section 3.14).
    static func disconnect(endingSession: Bool, _ options: ConnectionOptions) -> Int {
        let hasExpiry = endingSession && options.version == .v5 && options.sessionExpiry > .zero
        return hasExpiry ? Self.packet(1 + Self.list(5)) : Self.empty
    }

    private static func properties(of message: Message, _ version: ProtocolVersion) -> Int {
        guard version == .v5 else { return 0 }
        let properties = message.properties
        var length = properties.expiry == nil ? 0 : 5
        length += properties.responseTopic.map { 1 + Self.text($0.description) } ?? 0
        length += properties.correlationData.map { 3 + $0.count } ?? 0
        length += properties.contentType.map { 1 + Self.text($0) } ?? 0
        for property in properties.userProperties { length += 1 + Self.text(property.name) + Self.text(property.value) }
        return Self.list(length)
    }

    private static func text(_ text: String) -> Int { 2 + text.utf8.count }

    private static func list(_ length: Int) -> Int { Self.variable(length) + length }

    private static func packet(_ length: Int) -> Int { 1 + Self.variable(length) + length }

    /// A Variable Byte Integer (section 1.5.5).
    private static func variable(_ number: Int) -> Int {
        switch number {
        case ..<128: 1
        case ..<16_384: 2
        case ..<2_097_152: 3
        default: 4
        }
    }
}
