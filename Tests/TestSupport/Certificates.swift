// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop

/// A certificate authority, a server certificate for `localhost` and 127.0.0.1, and a client certificate.
///
/// All are made by `openssl` and valid for two days.
package final class Certificates: Sendable {
    private let directory: TemporaryDirectory

    package var caFile: String { "\(self.directory.path)/ca.pem" }
    /// The certificate of an authority that has signed nothing.
    package var strangerCAFile: String { "\(self.directory.path)/stranger.pem" }
    /// The certificates of both authorities.
    package var bothCAFile: String { "\(self.directory.path)/both.pem" }
    package var serverCertificateFile: String { "\(self.directory.path)/server.pem" }
    package var serverKeyFile: String { "\(self.directory.path)/server.key" }
    package var clientCertificateFile: String { "\(self.directory.path)/client.pem" }
    package var clientKeyFile: String { "\(self.directory.path)/client.key" }

    package init() async throws {
        self.directory = try TemporaryDirectory()
        for (name, subject) in [("ca", "test authority"), ("stranger", "another authority")] {
            try await self.make(name, subject, ["-addext", "basicConstraints=critical,CA:TRUE"], signedBy: nil)
        }
        let both = [self.caFile, self.strangerCAFile].compactMap(TextFile.read).joined(separator: "\n")
        try self.directory.write(both + "\n", to: "both.pem")
        try await self.makeServer()
        try await self.make("client", "van-12", Self.leaf("clientAuth"), signedBy: "ca")
    }

    /// Makes the other authority the valid one, and issues a new server certificate; older certificates become invalid.
    package func renew() async throws {
        for kind in ["pem", "key"] {
            let content = TextFile.read("\(self.directory.path)/stranger.\(kind)") ?? ""
            try self.directory.write(content + "\n", to: "ca.\(kind)")
        }
        try await self.makeServer()
    }

    private func makeServer() async throws {
        let server = Self.leaf("serverAuth") + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        try await self.make("server", "localhost", server, signedBy: "ca")
    }

    /// Issues a certificate and key for another server.
    ///
    /// - Parameters:
    ///   - subject: the common name.
    ///   - names: the subject alternative names in the format of openssl, `DNS:a.example,IP:192.0.2.1`; nil: none.
    package func server(
        _ subject: String,
        names: String?
    ) async throws -> (certificateFile: String, keyFile: String) {
        let file = "server-\(UInt64.random(in: 0 ... .max))"
        let extensions = names.map { ["-addext", "subjectAltName=\($0)"] } ?? []
        try await self.make(file, subject, Self.leaf("serverAuth") + extensions, signedBy: "ca")
        return ("\(self.directory.path)/\(file).pem", "\(self.directory.path)/\(file).key")
    }

    /// Returns the extensions of a leaf certificate; without them, openssl's certificates could sign others.
    private static func leaf(_ usage: String) -> [String] {
        ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=\(usage)"]
    }

    /// The signer of a certificate.
    package enum Signer: Sendable {
        case authority
        /// An authority that is not trusted.
        case stranger
        /// Another client, whose certificate is appended to the certificate that its key has signed.
        case client(certificateFile: String, keyFile: String)
    }

    /// Issues a certificate and key for another client.
    ///
    /// - Parameter isExpired: whether the certificate expired yesterday.
    package func client(
        _ name: String,
        signedBy signer: Signer = .authority,
        isExpired: Bool = false
    ) async throws -> (certificateFile: String, keyFile: String) {
        let file = "client-\(UInt64.random(in: 0 ... .max))"
        let path = "\(self.directory.path)/\(file)"
        switch signer {
        case .authority:
            try await self.make(file, name, Self.leaf("clientAuth"), signedBy: "ca")
        case .stranger:
            try await self.make(file, name, Self.leaf("clientAuth"), signedBy: "stranger")
        case .client(let certificate, let key):
            let signer = ["-CA", certificate, "-CAkey", key]
            try await self.make(file, name, Self.leaf("clientAuth") + signer, signedBy: nil)
            let chain = [path + ".pem", certificate].compactMap(TextFile.read).joined(separator: "\n")
            try self.directory.write(chain + "\n", to: "\(file).pem")
        }
        if isExpired {
            let openssl = try Program("openssl", debianPackage: "openssl")
            try await openssl.run(
                ["req", "-new", "-subj", "/CN=\(name)", "-key", "\(path).key", "-out", "\(path).csr"]
            )
            let signer = ["-CA", self.caFile, "-CAkey", "\(self.directory.path)/ca.key"]
            try await openssl.run(
                ["x509", "-req", "-in", "\(path).csr", "-days", "-1", "-out", "\(path).pem"] + signer
            )
        }
        return ("\(path).pem", "\(path).key")
    }

    private func make(_ name: String, _ subject: String, _ extensions: [String], signedBy ca: String?) async throws {
        let path = self.directory.path
        let signer = ca.map { ["-CA", "\(path)/\($0).pem", "-CAkey", "\(path)/\($0).key"] } ?? []
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let files = ["-keyout", "\(path)/\(name).key", "-out", "\(path)/\(name).pem"]
        try await Program("openssl", debianPackage: "openssl")
            .run(["req", "-x509", "-days", "2", "-subj", "/CN=\(subject)"] + key + files + signer + extensions)
    }
}
