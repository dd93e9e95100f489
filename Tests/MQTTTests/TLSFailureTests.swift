// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Testing

@Suite("The causes of connections that fail")
struct TLSFailureTests {
    @Test(
        "OpenSSL's words tell the cause",
        arguments: [
            ("tlsv13 alert certificate required", .clientCertificateMissing),
            ("tlsv1 alert unknown ca", .clientCertificateRejected("its authority is unknown to the broker")),
            ("sslv3 alert certificate expired", .clientCertificateRejected("it has expired")),
            ("ssl/tls alert bad certificate", .clientCertificateRejected("the broker does not say why")),
            ("sslv3 alert handshake failure", .refused), ("tlsv1 alert protocol version", .noCommonVersion),
            ("wrong version number", .notTLS), ("packet length too long", .notTLS),
            ("certificate verify failed: self-signed certificate", .selfSigned),
            ("certificate verify failed: self signed certificate in certificate chain", .selfSigned),
            ("certificate verify failed: unable to get local issuer certificate", .unknownAuthority),
            ("certificate verify failed: hostname mismatch", .otherHost),
            ("certificate verify failed: IP address mismatch", .otherHost),
            ("certificate verify failed: certificate has expired", .expired),
            ("certificate verify failed: certificate is not yet valid", .notYetValid),
            ("/etc/ca.pem: no certificate or crl found", .badFile), ("internal error", .other),
        ] as [(String, TLSFailure)]
    )
    func causes(reason: String, failure: TLSFailure) {
        #expect(TLSFailure(reason) == failure)
        // Whoever searches for OpenSSL's words finds them.
        #expect("\(MQTTError.tls(reason))".contains(reason))
    }

    @Test(
        "The first bytes of another protocol are told by its name",
        arguments: [
            ([0x15, 3, 1, 0, 2, 2, 70], .tls), (Array("HTTP/1.1 400 Bad Request".utf8), .http),
            (Array("SSH-2.0-x".utf8), .ssh),
        ] as [([UInt8], ForeignProtocol)]
    )
    func foreign(bytes: [UInt8], other: ForeignProtocol) throws {
        var gate = PacketGate(.v5, limit: 1000)
        gate.received(bytes)
        #expect(throws: MQTTError.foreign(other)) { try gate.next() }
        // After the first packet, such bytes are a violation of MQTT.
        var later = PacketGate(.v5, limit: 1000)
        later.received([0x20, 3, 0, 0, 0])
        #expect(try later.next() != nil)
        later.received(bytes)
        do throws(MQTTError) { _ = try later.next() } catch {
            #expect(error != .foreign(other))
        }
    }
}
