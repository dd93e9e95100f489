// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import TestSupport
import Testing

@Suite("A connection to PostgreSQL over TLS")
struct TLSTests {
    private let certificates: Certificates
    private let server: PostgresServer

    /// Starts a server with a certificate for `localhost`, to which `van-12` must show a certificate of its own.
    init() async throws {
        self.certificates = try await Certificates()
        self.server = try await PostgresServer(
            access: ["hostssl all van-12 127.0.0.1/32 cert", "hostssl all postgres 127.0.0.1/32 trust"],
            certificates: self.certificates
        )
    }

    private func address(
        host: String = "localhost",
        user: String = "postgres",
        authority: String,
        _ more: String = ""
    ) -> String {
        "host=\(host) hostaddr=127.0.0.1 port=\(self.server.port) user=\(user) dbname=postgres "
            + "sslmode=verify-full sslrootcert=\(authority) \(more)"
    }

    @Test("A server proves its name, and a client its own; a refusal says what to do")
    func proofs() async throws {
        let (right, wrong) = (self.certificates.caFile, self.certificates.strangerCAFile)
        let own = "sslcert=\(self.certificates.clientCertificateFile) sslkey=\(self.certificates.clientKeyFile)"
        try await self.server.run(["CREATE ROLE \"van-12\" LOGIN"])
        let session = "SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        let client = try Client(self.address(authority: right))
        #expect(try await client.row(session, columns: 2) == ["t", nil])
        let van = try Client(self.address(user: "van-12", authority: right, own))
        #expect(try await van.row(session, columns: 2) == ["t", "/CN=van-12"])

        for (address, reason, step) in [
            (self.address(authority: wrong), "certificate verify failed", "Try: sslrootcert=FILE"),
            (self.address(host: "db.example", authority: right), "\"db.example\"", "Try: the host that"),
            (self.address(user: "van-12", authority: right), "valid client certificate", "Try: sslcert=FILE"),
        ] {
            let error = await connectError(address)
            let text = error?.description ?? "no error"
            #expect(error?.cause == .refused && text.contains(reason) && text.contains(step), "\(text)")
        }
    }
}
