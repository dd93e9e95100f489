// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import Glibc

/// The reason why the byte stream of a connection ended.
enum ConnectionEnd: Error {
    /// The connection broke, or the broker closed it.
    case lost(String)
    /// TLS failed, for example the check of the certificate.
    case untrusted(String)
    /// The port speaks another protocol.
    case foreign(ForeignProtocol)
    /// The broker violated MQTT.
    case malformed(String)
}

/// The network socket of a connection: TCP, or TLS over TCP.
///
/// Only one thread may use it. Only ``linger(until:)`` blocks.
@safe
final class BrokerSocket {
    /// The descriptor to poll; closed when this object is released.
    let descriptor: Int32
    /// Whether to poll for writability.
    private(set) var awaitsWriting = false
    private let tls: OpaquePointer?

    /// Takes ownership of `descriptor`.
    ///
    /// The first calls of ``write(_:)`` and ``read(into:)`` do the TLS handshake.
    init(_ descriptor: Int32, _ context: TLSContext?, host: String) throws(ConnectionEnd) {
        self.descriptor = descriptor
        unsafe self.tls = context?.session(over: descriptor, to: host)
        if context != nil, unsafe self.tls == nil { throw .untrusted("no memory") }
    }

    deinit {
        unsafe SSL_free(self.tls)
        close(self.descriptor)
    }

    /// Whether TLS has decrypted bytes in its buffer, which poll does not report.
    var hasBufferedBytes: Bool { unsafe self.tls.map { unsafe SSL_pending($0) > 0 } ?? false }

    /// Reads the available bytes; returns their number, 0 if there are none now.
    func read(into buffer: inout [UInt8]) throws(ConnectionEnd) -> Int {
        guard let tls = unsafe self.tls else {
            let count = unsafe recv(self.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { throw .lost("the broker closed the connection") }
            return try self.checked(count)
        }
        ERR_clear_error()
        let code = unsafe SSL_read(tls, &buffer, Int32(clamping: buffer.count))
        return try self.checked(tls: code)
    }

    /// Writes as many of `bytes`, which must not be empty, as the system accepts; returns their number.
    func write(_ bytes: ArraySlice<UInt8>) throws(ConnectionEnd) -> Int {
        self.awaitsWriting = false
        guard let tls = unsafe self.tls else {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            self.awaitsWriting = count < 0
            return try self.checked(count)
        }
        ERR_clear_error()
        let code = unsafe bytes.withUnsafeBytes { unsafe SSL_write(tls, $0.baseAddress, Int32(clamping: $0.count)) }
        return try self.checked(tls: code)
    }

    /// Shuts down writing, then reads until the broker closes the connection or until `deadline`.
    ///
    /// Closing the socket with unread data would reset the connection, and the broker would lose what it had not read
    /// yet.
    func linger(until deadline: ContinuousClock.Instant) {
        if unsafe self.tls != nil { unsafe SSL_shutdown(self.tls) }
        shutdown(self.descriptor, Int32(SHUT_WR))
        var sink = [UInt8](repeating: 0, count: 4096)
        while true {
            let time = milliseconds(until: deadline)
            var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard time > 0, unsafe poll(&entry, 1, Int32(clamping: time)) > 0 else { return }
            guard unsafe recv(self.descriptor, &sink, sink.count, 0) > 0 else { return }
        }
    }

    private func checked(_ count: Int) throws(ConnectionEnd) -> Int {
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw .lost(unsafe String(cString: strerror(errno))) }
        return 0
    }

    private func checked(tls code: Int32) throws(ConnectionEnd) -> Int {
        if code > 0 { return Int(code) }
        let number = errno
        switch unsafe SSL_get_error(self.tls, code) {
        case SSL_ERROR_WANT_READ:
            return 0
        case SSL_ERROR_WANT_WRITE:
            self.awaitsWriting = true
            return 0
        case SSL_ERROR_ZERO_RETURN:
            throw .lost("the broker closed the connection")
        case SSL_ERROR_SYSCALL where ERR_peek_error() == 0:
            throw .lost(number == 0 ? "the broker closed the connection" : unsafe String(cString: strerror(number)))
        default:
            let verdict = unsafe SSL_get_verify_result(self.tls)
            guard verdict != Int(X509_V_OK), let text = unsafe X509_verify_cert_error_string(verdict) else {
                throw .untrusted(openSSLReason())
            }
            throw .untrusted("certificate verify failed: \(unsafe String(cString: text))")
        }
    }
}

/// Returns the time until `deadline` in whole milliseconds, at most a day, or 0 if it has passed.
func milliseconds(until deadline: ContinuousClock.Instant) -> Int {
    let (seconds, attoseconds) = max(.zero, deadline - .now).components
    return Int(clamping: min(seconds, 86400) * 1000 + attoseconds / 1_000_000_000_000_000)
}
