// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base
internal import CMosquitto
internal import Glibc

/// A client of libmosquitto for one connection; destroyed with the last reference to this object.
///
/// The class is `@unchecked Sendable` because the library locks its state in threaded mode: any thread may publish,
/// subscribe and disconnect while one thread runs the loop.
@safe
final class LibraryClient: @unchecked Sendable {
    let pointer: OpaquePointer
    let options: ConnectionOptions
    /// The context that checks the broker's certificate, or `nil` for plain TCP.
    let tls: TLSContext?

    private static let initialized = mosquitto_lib_init()

    init(_ options: ConnectionOptions) throws(MQTTError) {
        try check(Self.initialized)
        for text in [options.server.host, options.clientID, options.username, options.password] {
            if let text { try check(text) }
        }
        guard (5...65535).contains(options.keepAlive.components.seconds) else {
            throw .invalid("a keep alive outside of 5 to 65535 seconds")
        }
        guard options.sessionExpiry >= .zero else { throw .invalid("a negative session expiry") }
        guard !options.clientID.isEmpty else { throw .invalid("an empty client id") }
        self.tls = try options.server.tls.map { tls throws(MQTTError) in try TLSContext(tls) }
        let isClean = options.sessionExpiry == .zero
        guard let pointer = unsafe mosquitto_new(options.clientID, isClean, nil) else { throw .invalid("client id") }
        unsafe self.pointer = pointer
        self.options = options
        try self.configure()
    }

    deinit {
        unsafe mosquitto_destroy(self.pointer)
    }

    private func configure() throws(MQTTError) {
        let version = self.options.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check(unsafe mosquitto_int_option(self.pointer, MOSQ_OPT_PROTOCOL_VERSION, version))
        try check(unsafe mosquitto_int_option(self.pointer, MOSQ_OPT_TCP_NODELAY, 1))
        try check(unsafe mosquitto_threaded_set(self.pointer, true))
        if self.options.username != nil || self.options.password != nil {
            let code = unsafe mosquitto_username_pw_set(self.pointer, self.options.username, self.options.password)
            try check(code)
        }
        if let will = self.options.will { try self.configure(will: will) }
    }

    private func configure(will: Message) throws(MQTTError) {
        guard let count = Int32(exactly: will.payload.count) else { throw .tooLarge }
        let topic = will.topic.description
        let qos = Int32(will.qos.rawValue)
        var properties = PropertyList()
        if self.options.version == .v5 { try properties.add(will.properties) }
        var list = unsafe properties.take()
        let code = unsafe mosquitto_will_set_v5(self.pointer, topic, count, will.payload, qos, will.retain, list)
        // The library owns the list only after success.
        if code != MOSQ_ERR_SUCCESS.rawValue { unsafe mosquitto_property_free_all(&list) }
        try check(code)
    }

    /// Resolves the host name and opens the TCP connection; blocks for as long as the system tries.
    ///
    /// No packet is sent yet: the library sends CONNECT when the loop runs.
    func connect() -> MQTTError? {
        let server = self.options.server
        var properties = PropertyList()
        do {
            if self.options.version == .v5 {
                let expiry = self.options.sessionExpiry.components.seconds
                if expiry > 0 {
                    try properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, UInt32(clamping: expiry))
                }
                if let maximum = self.options.receiveMaximum {
                    try properties.add(MQTT_PROP_RECEIVE_MAXIMUM, maximum)
                }
                // Sends no Maximum Packet Size: for each larger message Mosquitto 2.0.11 loses a place in flight. After
                // twenty such messages it sends no message of QoS 1 any more. PacketGate drops such messages.
            }
        } catch {
            return error
        }
        let code = unsafe mosquitto_connect_bind_v5(
            self.pointer,
            server.host,
            Int32(server.port),
            Int32(clamping: self.options.keepAlive.components.seconds),
            nil,
            properties.pointer
        )
        let number = errno
        let failure: ConnectFailure
        switch mosq_err_t(code) {
        case MOSQ_ERR_SUCCESS: return nil
        case MOSQ_ERR_INVAL, MOSQ_ERR_NOT_SUPPORTED: return .invalid(Self.reason(code, number))
        case MOSQ_ERR_EAI: failure = .unknownHost
        case MOSQ_ERR_ERRNO: failure = ConnectFailure(systemError: number)
        default: failure = .other(Self.reason(code, number))
        }
        return .cannotConnect(host: server.host, port: server.port, failure)
    }

    /// Takes the TCP socket from the library, and gives the library one end of a socket pair instead.
    ///
    /// - Returns: the TCP socket and the other end of the pair, both for the caller to close, or `nil` if the process
    ///   has no file descriptors left.
    func divertSocket() -> (network: Int32, relayEnd: Int32)? {
        let own = unsafe mosquitto_socket(self.pointer)
        let network = fcntl(own, F_DUPFD_CLOEXEC, 0)
        guard network >= 0 else { return nil }
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            close(network)
            return nil
        }
        // Keeps the number of the descriptor, so the library does not notice the change.
        let isDiverted = dup2(pair[0], own) == own && fcntl(own, F_SETFD, FD_CLOEXEC) == 0
        close(pair[0])
        guard isDiverted else {
            close(network)
            close(pair[1])
            return nil
        }
        return (network, pair[1])
    }

    /// Lets the library read a packet from its socket.
    func read() throws(ConnectionEnd) {
        try Self.requireSuccess(unsafe mosquitto_loop_read(self.pointer, 1))
    }

    /// Lets the library write its queued packets, as far as its socket accepts them.
    func write() throws(ConnectionEnd) {
        guard unsafe mosquitto_want_write(self.pointer) else { return }
        try Self.requireSuccess(unsafe mosquitto_loop_write(self.pointer, 1))
    }

    /// Lets the library send a PINGREQ if one is due, and end the connection if the broker does not respond.
    func keepAlive() throws(ConnectionEnd) {
        try Self.requireSuccess(unsafe mosquitto_loop_misc(self.pointer))
    }

    private static func requireSuccess(_ code: Int32) throws(ConnectionEnd) {
        let number = errno
        if code != MOSQ_ERR_SUCCESS.rawValue { throw .lost(Self.reason(code, number)) }
    }

    func publish(_ message: Message) throws(MQTTError) -> UInt16 {
        guard let count = Int32(exactly: message.payload.count) else { throw .tooLarge }
        var properties = PropertyList()
        if self.options.version == .v5 { try properties.add(message.properties) }
        var id: Int32 = 0
        let code = unsafe mosquitto_publish_v5(
            self.pointer,
            &id,
            message.topic.description,
            count,
            message.payload,
            Int32(message.qos.rawValue),
            message.retain,
            properties.pointer
        )
        try check(code)
        return UInt16(truncatingIfNeeded: id)
    }

    func subscribe(_ filters: [TopicFilter], qos: QoS, retainAsPublished: Bool) throws(MQTTError) -> UInt16 {
        let asPublished = retainAsPublished && self.options.version == .v5
        let options = asPublished ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        var id: Int32 = 0
        try unsafe Self.withTexts(of: filters) { texts, count in
            unsafe mosquitto_subscribe_multiple(self.pointer, &id, count, texts, Int32(qos.rawValue), options, nil)
        }
        return UInt16(truncatingIfNeeded: id)
    }

    func unsubscribe(_ filters: [TopicFilter]) throws(MQTTError) -> UInt16 {
        var id: Int32 = 0
        try unsafe Self.withTexts(of: filters) { texts, count in
            unsafe mosquitto_unsubscribe_multiple(self.pointer, &id, count, texts, nil)
        }
        return UInt16(truncatingIfNeeded: id)
    }

    /// Calls `body`, which returns a code of the library, with the texts of the filters.
    private static func withTexts(
        of filters: [TopicFilter],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>, Int32) -> Int32
    ) throws(MQTTError) {
        guard !filters.isEmpty, let count = Int32(exactly: filters.count) else { throw .invalid("no filters") }
        let texts = unsafe filters.map { unsafe strdup($0.description) }
        defer { unsafe texts.forEach { unsafe free($0) } }
        try check(unsafe body(texts, count))
    }

    /// Queues a DISCONNECT behind all packets that are not written yet.
    func disconnect(endingSession: Bool) {
        var properties = PropertyList()
        if endingSession, self.options.version == .v5, self.options.sessionExpiry > .zero {
            try? properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, UInt32(0))
        }
        // The call fails only without a connection, and then the loop ends by itself.
        _ = unsafe mosquitto_disconnect_v5(self.pointer, 0, properties.pointer)
    }

    private static func reason(_ code: Int32, _ number: Int32) -> String {
        // The library has no words for it: "Unknown error."
        if code == MOSQ_ERR_KEEPALIVE.rawValue { return "the broker does not answer" }
        let text =
            code == MOSQ_ERR_ERRNO.rawValue
            ? unsafe strerror(number) : unsafe UnsafeMutablePointer(mutating: mosquitto_strerror(code))
        guard let text = unsafe text else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
