// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A certificate authority, a server's certificate for `localhost` and 127.0.0.1, one for another host, and a
/// client's; made by `openssl` and valid for two days.
package final class Certificates: Sendable {
    private let directory: TemporaryDirectory

    package var caFile: String { "\(self.directory.path)/ca.pem" }
    /// An authority that has signed nothing.
    package var strangerCAFile: String { "\(self.directory.path)/stranger.pem" }
    package var serverCertificateFile: String { "\(self.directory.path)/server.pem" }
    package var serverKeyFile: String { "\(self.directory.path)/server.key" }
    /// For `elsewhere.example`.
    package var otherHostCertificateFile: String { "\(self.directory.path)/other.pem" }
    package var otherHostKeyFile: String { "\(self.directory.path)/other.key" }
    package var clientCertificateFile: String { "\(self.directory.path)/client.pem" }
    package var clientKeyFile: String { "\(self.directory.path)/client.key" }

    package init() async throws {
        self.directory = try TemporaryDirectory()
        for (name, subject) in [("ca", "test authority"), ("stranger", "another authority")] {
            try await self.make(name, subject, ["-addext", "basicConstraints=critical,CA:TRUE"], signedBy: nil)
        }
        let server = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        try await self.make("server", "localhost", server, signedBy: "ca")
        try await self.make("other", "elsewhere", ["-addext", "subjectAltName=DNS:elsewhere.example"], signedBy: "ca")
        try await self.make("client", "van-12", [], signedBy: "ca")
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
