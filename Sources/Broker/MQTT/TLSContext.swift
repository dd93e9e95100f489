// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import Glibc

/// The trusted authorities and the client's certificate for one connection.
///
/// The context replaces libmosquitto's own TLS, which also accepts a host name in the certificate's subject, and a
/// wildcard for its bare domain.
@safe
final class TLSContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Reads the files of `tls`.
    ///
    /// - Throws: ``MQTTError/invalid(_:)`` for a file that cannot be read, ``MQTTError/tls(_:)`` for any other problem.
    init(_ tls: TLS) throws(MQTTError) {
        guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
            throw .invalid("only one of the client's certificate and its key is set. Try: both, or neither")
        }
        for file in [tls.caFile, tls.certificateFile, tls.keyFile] {
            guard let file else { continue }
            try check(file)
            guard unsafe access(file, R_OK) == 0 else { throw .invalid("cannot read \(file)") }
        }
        guard let pointer = unsafe SSL_CTX_new(TLS_client_method()) else { throw .tls("no memory") }
        unsafe self.pointer = pointer
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        unsafe SSL_CTX_ctrl(
            pointer,
            SSL_CTRL_MODE,
            Int(UInt32(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_RELEASE_BUFFERS) | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER),
            nil
        )
        // A connection that the broker closes without close_notify counts as closed, not as failed.
        unsafe SSL_CTX_set_options(pointer, Self.noRenegotiation | Self.ignoreUnexpectedEnd)
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        // Without this callback OpenSSL asks for the password of an encrypted key on the terminal.
        unsafe SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
        if let file = tls.caFile {
            try Self.requireSuccess(unsafe SSL_CTX_load_verify_file(pointer, file), file)
        } else {
            try Self.requireSuccess(unsafe SSL_CTX_load_verify_dir(pointer, "/etc/ssl/certs"), "/etc/ssl/certs")
        }
        if let certificate = tls.certificateFile, let key = tls.keyFile {
            try Self.requireSuccess(unsafe SSL_CTX_use_certificate_chain_file(pointer, certificate), certificate)
            try Self.requireSuccess(unsafe SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM), key)
            try Self.requireSuccess(unsafe SSL_CTX_check_private_key(pointer), key)
        }
    }

    deinit {
        unsafe SSL_CTX_free(self.pointer)
    }

    /// Returns a TLS session over `socket` that accepts only a certificate of `host`, or `nil` if memory runs out.
    func session(over socket: Int32, to host: String) -> OpaquePointer? {
        guard let session = unsafe SSL_new(self.pointer) else { return nil }
        // Only subject alternative names count (RFC 9525, sections 2 and 6.3).
        unsafe SSL_set_hostflags(
            session,
            UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT) | UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        )
        let isAddress = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host) == 1
        let isNamed = unsafe isAddress || SSL_set1_host(session, host) == 1
        if !isAddress {
            var name = Array(host.utf8CString)
            unsafe SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), &name)
        }
        guard isNamed, unsafe SSL_set_fd(session, socket) == 1 else {
            unsafe SSL_free(session)
            return nil
        }
        unsafe SSL_set_connect_state(session)
        return unsafe session
    }

    // Swift does not import these two macros, because they have arguments.
    /// `SSL_OP_NO_RENEGOTIATION`.
    private static let noRenegotiation: UInt64 = 1 << 30
    /// `SSL_OP_IGNORE_UNEXPECTED_EOF`.
    private static let ignoreUnexpectedEnd: UInt64 = 1 << 7

    private static func requireSuccess(_ code: Int32, _ file: String) throws(MQTTError) {
        if code != 1 { throw .tls("\(file): \(openSSLReason())") }
    }
}

/// Returns the reason of OpenSSL's oldest error on this thread, and clears all errors.
func openSSLReason() -> String {
    defer { ERR_clear_error() }
    guard let text = unsafe ERR_reason_error_string(ERR_peek_error()) else { return "unknown error" }
    return unsafe String(cString: text)
}
