// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import Glibc

/// Why the bytes of a connection end.
enum ConnectionEnd: Error {
    /// The connection broke, or the other side closed it.
    case lost(String)
    /// TLS failed, the check of the certificate for example.
    case untrusted(String)
    /// The broker sent something that MQTT does not allow.
    case malformed(String)
}

/// The network's end of a connection: TCP, or TLS over TCP.
///
/// Never blocks, but in ``linger(until:)``; for one thread.
@safe
final class BrokerSocket {
    /// The descriptor to poll; closed with this object.
    let descriptor: Int32
    /// Whether to poll for writing.
    private(set) var awaitsWriting = false
    private let tls: OpaquePointer?

    /// Takes over `descriptor`.
    ///
    /// The TLS handshake is a part of the first calls of ``write(_:)`` and ``read(into:)``.
    init(_ descriptor: Int32, _ context: TLSContext?, host: String) throws(ConnectionEnd) {
        self.descriptor = descriptor
        unsafe self.tls = context?.session(over: descriptor, to: host)
        if context != nil, unsafe self.tls == nil { throw .untrusted("no memory") }
    }

    deinit {
        unsafe SSL_free(self.tls)
        close(self.descriptor)
    }

    /// Whether bytes are here that no poll tells of.
    var hasPending: Bool { unsafe self.tls.map { unsafe SSL_pending($0) > 0 } ?? false }

    /// Reads what is here; returns the number of bytes, 0 if there are none now.
    func read(into buffer: inout [UInt8]) throws(ConnectionEnd) -> Int {
        guard let tls = unsafe self.tls else {
            let count = unsafe recv(self.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count == 0 { throw .lost("the broker closed it") }
            return try self.checked(count)
        }
        ERR_clear_error()
        let code = unsafe SSL_read(tls, &buffer, Int32(clamping: buffer.count))
        return try self.checked(tls: code)
    }

    /// Writes what the system takes of `bytes`, which must not be empty; returns the number of bytes.
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

    /// Says goodbye, and reads until the other side closes its end, or until `deadline`.
    ///
    /// To close this end with data of the other side unread would reset the connection, and the other side would lose
    /// what it had not read yet.
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
            throw .lost("the broker closed it")
        case SSL_ERROR_SYSCALL where ERR_peek_error() == 0:
            throw .lost(number == 0 ? "the broker closed it" : unsafe String(cString: strerror(number)))
        default:
            let verdict = unsafe SSL_get_verify_result(self.tls)
            guard verdict != Int(X509_V_OK), let text = unsafe X509_verify_cert_error_string(verdict) else {
                throw .untrusted(openSSLReason())
            }
            throw .untrusted("certificate verify failed: \(unsafe String(cString: text))")
        }
    }
}

/// The time until `deadline` in whole milliseconds, 0 if it has passed.
func milliseconds(until deadline: ContinuousClock.Instant) -> Int {
    let (seconds, attoseconds) = max(.zero, deadline - .now).components
    return Int(clamping: min(seconds, 86400) * 1000 + attoseconds / 1_000_000_000_000_000)
}
