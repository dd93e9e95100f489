// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CMosquitto
internal import Glibc
internal import Messages

/// One client of libmosquitto, used for one connection; destroyed with this value's last reference.
///
/// The library locks for itself in its threaded mode, hence `@unchecked`: any thread may publish, subscribe and
/// disconnect while one runs the loop.
@safe
final class LibraryClient: @unchecked Sendable {
    let pointer: OpaquePointer
    let options: ConnectionOptions

    private static let initialized = mosquitto_lib_init()

    init(_ options: ConnectionOptions) throws(MQTTError) {
        try check(Self.initialized)
        for text in [options.server.host, options.clientID, options.username, options.password] {
            if let text { try check(text) }
        }
        guard (5...65535).contains(options.keepAlive.components.seconds) else { throw .invalid("keep alive") }
        guard options.sessionExpiry >= .zero else { throw .invalid("session expiry") }
        guard !options.clientID.isEmpty else { throw .invalid("an empty client id") }
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
        if let tls = self.options.server.tls { try self.configure(tls) }
        if let will = self.options.will { try self.configure(will: will) }
    }

    private func configure(_ tls: TLS) throws(MQTTError) {
        for file in [tls.caFile, tls.certificateFile, tls.keyFile] {
            guard let file else { continue }
            try check(file)
            guard unsafe access(file, R_OK) == 0 else { throw .invalid("cannot read \(file)") }
        }
        let systemStore = tls.caFile == nil ? "/etc/ssl/certs" : nil
        let code = unsafe mosquitto_tls_set(
            self.pointer,
            tls.caFile,
            systemStore,
            tls.certificateFile,
            tls.keyFile,
            // Without this OpenSSL would ask for an encrypted key's password on the terminal.
            { _, _, _, _ in 0 }
        )
        try check(code)
        // No version given: the library allows 1.2 and what came after it.
        try check(unsafe mosquitto_tls_opts_set(self.pointer, 1, nil, nil))
    }

    private func configure(will: Message) throws(MQTTError) {
        guard let count = Int32(exactly: will.payload.count) else { throw .tooLarge }
        let topic = will.topic.description
        let qos = Int32(will.qos.rawValue)
        var properties = PropertyList()
        if self.options.version == .v5 { try properties.add(will.properties) }
        var list = unsafe properties.take()
        let code = unsafe mosquitto_will_set_v5(self.pointer, topic, count, will.payload, qos, will.retain, list)
        // The library owns the list only when it took it.
        if code != MOSQ_ERR_SUCCESS.rawValue { unsafe mosquitto_property_free_all(&list) }
        try check(code)
    }

    /// Resolves the host's name and opens the TCP connection; blocks for as long as the system tries.
    ///
    /// Nothing is sent: CONNECT goes out when the loop runs.
    func connect() -> MQTTError? {
        let server = self.options.server
        var properties = PropertyList()
        do {
            if self.options.version == .v5 {
                let expiry = self.options.sessionExpiry.components.seconds
                if expiry > 0 {
                    try properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, UInt32(clamping: expiry))
                }
                // The payload, and as much again as the longest topic for the rest of the packet.
                try properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, UInt32(MQTTConnection.payloadLimit + 65536))
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
        let reason = Self.reason(code, errno)
        switch mosq_err_t(code) {
        case MOSQ_ERR_SUCCESS: return nil
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: return .tls(reason)
        case MOSQ_ERR_INVAL, MOSQ_ERR_NOT_SUPPORTED: return .invalid(reason)
        default: return .cannotConnect(host: server.host, port: server.port, reason: reason)
        }
    }

    /// Waits up to `milliseconds` for something to do, and does it: callbacks come from in here.
    ///
    /// Returns why the connection is no more, or nil.
    func turn(milliseconds: Int32) -> (code: Int32, reason: String)? {
        let code = unsafe mosquitto_loop(self.pointer, milliseconds, 1)
        let number = errno
        return code == MOSQ_ERR_SUCCESS.rawValue ? nil : (code, Self.reason(code, number))
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
        guard !filters.isEmpty, let count = Int32(exactly: filters.count) else { throw .invalid("no filters") }
        let texts = unsafe filters.map { unsafe strdup($0.description) }
        defer { unsafe texts.forEach { unsafe free($0) } }
        let asPublished = retainAsPublished && self.options.version == .v5
        let options = asPublished ? Int32(MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue) : 0
        var id: Int32 = 0
        let code = unsafe mosquitto_subscribe_multiple(
            self.pointer,
            &id,
            count,
            texts,
            Int32(qos.rawValue),
            options,
            nil
        )
        try check(code)
        return UInt16(truncatingIfNeeded: id)
    }

    /// Queues a DISCONNECT behind what waits to be written.
    func disconnect(endingSession: Bool) {
        var properties = PropertyList()
        if endingSession, self.options.version == .v5, self.options.sessionExpiry > .zero {
            try? properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, 0)
        }
        // It fails only when there is no connection any more, and then the loop ends by itself.
        _ = unsafe mosquitto_disconnect_v5(self.pointer, 0, properties.pointer)
    }

    /// A second descriptor of the connection's socket, nil if there is none; the caller closes it.
    ///
    /// The library's own may be closed at any moment, and its number then be somebody else's.
    func duplicateSocket() -> Int32? {
        let copy = fcntl(unsafe mosquitto_socket(self.pointer), F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : nil
    }

    private static func reason(_ code: Int32, _ number: Int32) -> String {
        let text =
            code == MOSQ_ERR_ERRNO.rawValue
            ? unsafe strerror(number) : unsafe UnsafeMutablePointer(mutating: mosquitto_strerror(code))
        guard let text = unsafe text else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
