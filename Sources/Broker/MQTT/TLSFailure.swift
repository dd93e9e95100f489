// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The cause of a failed TLS handshake, as far as OpenSSL's words tell it.
package enum TLSFailure: Hashable, Sendable {
    /// The broker demands a certificate of the client.
    case clientCertificateMissing
    /// The broker does not accept the client's certificate; the reason.
    case clientCertificateRejected(String)
    /// The client's or the authorities' file is wrong.
    case badFile
    /// No trusted authority has signed the broker's certificate.
    case unknownAuthority
    /// The broker's certificate, or its authority's, is signed by itself, and not trusted.
    case selfSigned
    /// The certificate is for other names than the host.
    case otherHost
    case expired
    case notYetValid
    case revoked
    /// The port answers with other bytes than those of TLS.
    case notTLS
    /// The broker and this client have no version or cipher of TLS in common.
    case noCommonVersion
    /// The broker ended the handshake without a reason, as it does with TLS 1.2 without a client certificate.
    case refused
    case other

    /// - Parameter reason: the text of ``MQTTError/tls(_:)``.
    package init(_ reason: String) {
        let text = reason.lowercased()
        let isAlert = text.contains("alert")
        self =
            switch true {
            case reason.hasPrefix("/"): .badFile
            case text.contains("certificate required"): .clientCertificateMissing
            case isAlert && text.contains("unknown ca"):
                .clientCertificateRejected("its authority is unknown to the broker")
            case isAlert && text.contains("certificate expired"): .clientCertificateRejected("it has expired")
            case isAlert && text.contains("certificate revoked"): .clientCertificateRejected("it is revoked")
            case isAlert && text.contains("certificate"): .clientCertificateRejected("the broker does not say why")
            case isAlert && text.contains("handshake failure"): .refused
            case text.contains("protocol version"), text.contains("unsupported protocol"),
                text.contains("insufficient security"), text.contains("no protocols available"):
                .noCommonVersion
            case text.contains("wrong version number"), text.contains("packet length too long"),
                text.contains("http request"), text.contains("record layer failure"):
                .notTLS
            case text.contains("self-signed"), text.contains("self signed"): .selfSigned
            case text.contains("issuer certificate"), text.contains("unable to verify the first certificate"):
                .unknownAuthority
            case text.contains("mismatch"): .otherHost
            case text.contains("has expired"): .expired
            case text.contains("not yet valid"): .notYetValid
            case text.contains("revoked"): .revoked
            default: .other
            }
    }

    /// The cause in words; nil if OpenSSL's own words say as much.
    package var words: String? {
        switch self {
        case .clientCertificateMissing: "the broker requires a certificate of this client"
        case .clientCertificateRejected(let reason): "the broker rejects this client's certificate: \(reason)"
        case .unknownAuthority: "no trusted authority has signed the broker's certificate"
        case .selfSigned: "the broker's certificate is signed by itself, and not trusted"
        case .otherHost: "the broker's certificate is for another host"
        case .expired: "the broker's certificate has expired"
        case .notYetValid: "the broker's certificate is not valid yet"
        case .revoked: "the broker's certificate is revoked"
        case .notTLS: "the port does not speak TLS"
        case .noCommonVersion: "the broker has no version or cipher of TLS that this client supports"
        case .refused: "the broker ended the handshake without a reason"
        case .badFile, .other: nil
        }
    }
}
