// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PostgreSQL

@Suite("The address of a database")
struct TargetTests {
    private static func target(_ text: String, password: String? = nil) throws -> PostgreSQLTarget {
        try PostgreSQLTarget(text, password: password, name: "obd-remote")
    }

    @Test("Its description has server and database, never a user's password")
    func description() throws {
        let uri = try Self.target("postgresql://anna:top%20secret@db.example:5433/fleet")
        #expect(uri.description == "db.example:5433, database fleet")
        #expect(uri.attempts.first?["password"] == "top secret" && uri.attempts.first?["user"] == "anna")
        #expect(
            try Self.target("host=/run/postgresql dbname=fleet password=x").description
                == "/run/postgresql, database fleet"
        )
        #expect(try Self.target("").description == "the local server")
    }

    @Test(
        "A secret in the text is seen in each of its forms",
        arguments: [
            ("postgresql://a:b@/c?host=/run", true), ("postgresql://a:b@c/d", true),
            ("postgresql://c/d?passw%6frd=b", true),
            ("postgresql://c/d?sslpassword=b", true), ("host=c password=b", true), ("postgresql://a%3Ab@c/d", false),
            ("postgresql://a@c/d?host=/run:1", false),
        ]
    )
    func secrets(text: String, hasSecret: Bool) throws {
        #expect(try Self.target(text, password: "other").hasSecret == hasSecret)
    }

    @Test("Only what a person must mend is refused; each refusal names the next step")
    func codes() {
        for code in ["28P01", "28000", "3D000", "3F000", "42501"] {
            let error = PostgreSQLError("connect", state: code, "no")
            #expect(error.cause == .refused && error.description.contains("Try: "), "\(code)")
        }
        for code in ["57P03", "53300", "08006", "25P03", "XX000", "55000"] {
            #expect(PostgreSQLError("connect", state: code, "no").cause == .unreachable, "\(code)")
        }
        #expect(PostgreSQLError("connect", state: "42P01", "no").cause == .misuse)
    }

    @Test("A password of its own counts before that of the text")
    func password() throws {
        #expect(try Self.target("postgresql://a:b@c/d", password: "e").attempts.first?["password"] == "e")
    }

    @Test(
        "A text that cannot be read is refused without a word of it",
        arguments: ["host=a secret", "postgresql://a:b%zzsecret@c/d", "postgresql://c/d?secret=1", "password='secret"]
    )
    func unreadable(text: String) {
        let error = #expect(throws: PostgreSQLError.self) { try Self.target(text) }
        #expect(
            error?.cause == .refused && error?.description.contains("secret") == false,
            "\(error?.description ?? "")"
        )
    }

    @Test("A server elsewhere must prove its name, unless the text says otherwise; one on this machine need not")
    func encryption() throws {
        let remote = try #require(Self.target("postgresql://db.example/fleet").attempts.first)
        #expect(remote["sslmode"] == "verify-full")
        #expect(
            try Self.target("postgresql://db.example/fleet?sslmode=require").attempts.first?["sslmode"] == "require"
        )
        for local in ["postgresql:///fleet", "host=/run/postgresql", "host=localhost", "hostaddr=127.0.0.1"] {
            #expect(try Self.target(local).attempts.first?["sslmode"] == nil, "\(local)")
        }
    }

    @Test("Each of several hosts is an attempt of its own, with its own port")
    func hosts() throws {
        let target = try Self.target("postgresql://one:1,two:2/fleet?target_session_attrs=read-write")
        #expect(target.attempts.map { $0["host"] } == ["one", "two"])
        #expect(target.attempts.map { $0["port"] } == ["1", "2"])
        #expect(target.attempts.allSatisfy { $0["target_session_attrs"] == "read-write" })
        #expect(target.description == "one:1, two:2, database fleet")
        #expect(try Self.target("host=one,two port=5").attempts.map { $0["port"] } == ["5", "5"])
    }

    @Test("A silent network is noticed, and the text may say how fast")
    func keepalive() throws {
        let standard = try #require(Self.target("postgresql:///a").attempts.first)
        #expect(standard["tcp_user_timeout"] == "30000" && standard["keepalives_idle"] == "10")
        #expect(standard["application_name"] == "obd-remote" && standard["client_encoding"] == "UTF8")
        let own = try Self.target("postgresql:///a?tcp_user_timeout=5&application_name=mine").attempts.first
        #expect(own?["tcp_user_timeout"] == "5" && own?["application_name"] == "mine")
    }

    @Test(
        "A broken connection is no refusal, whatever the handshake was for; a key or certificate that is wrong is one",
        arguments: [
            ("SSL error: certificate verify failed", true), ("SSL error: tlsv1 alert unknown ca", true),
            ("private key file \"/k\" has group or world access; file must have permissions u=rw (0600)", true),
            ("server does not support SSL, but SSL was required", true), ("SSL SYSCALL error: EOF detected", false),
            ("SSL SYSCALL error: Connection reset by peer", false), ("SSL error: unexpected eof while reading", false),
            ("SSL connection has been closed unexpectedly", false), ("Connection refused", false),
            ("could not translate host name \"nohost.invalid\" to address: Name or service not known", false),
            ("connection to server at \"password.invalid\" (10.0.0.1), port 5432 failed: timeout expired", false),
            ("invalid sslmode value: \"x\"", true), ("fe_sendauth: no password supplied", true),
        ]
    )
    func refusals(message: String, isRefusal: Bool) {
        #expect(ConnectionAttempt.isRefusal(message) == isRefusal)
    }

    @Test("A refusal over TLS says what to do, unless libpq's message does")
    func advice() throws {
        func advice(_ message: String) -> String { ConnectionAttempt.advice(for: message) ?? "none" }
        #expect(advice("server does not support SSL, but SSL was required").contains("ssl = on"))
        #expect(advice("SSL error: tlsv1 alert unknown ca").contains("sslcert=FILE"))
        #expect(
            advice("root certificate file \"/x\" does not exist\nEither provide the file or change sslmode") == "none"
        )
        let absent = "failed: No such file or directory\n\tIs the server running locally and accepting connections?\n"
        #expect(advice(absent).hasPrefix("start PostgreSQL"))
        #expect(ConnectionAttempt.oneLine(absent) == "failed: No such file or directory")
        #expect(advice("fe_sendauth: no password supplied").contains("database_password_file"))
        #expect(advice("SSL error: tlsv1 alert protocol version") == "none")
    }

    @Test("The server's code is found in libpq's message, in any language")
    func states() {
        let text =
            "connection to server on socket \"/x\" failed: FATAL:  28P01: password authentication failed\nLOCATION:  auth"
        #expect(ConnectionAttempt.state(in: text) == "28P01")
        #expect(ConnectionAttempt.oneLine(text).hasSuffix("FATAL: 28P01: password authentication failed"))
        #expect(ConnectionAttempt.state(in: "failed: SCHWERWIEGEND:  3D000: Datenbank") == "3D000")
        for text in ["", ":  ", ":  abcde: ", "connection refused", "FATAL:  too many: clients"] {
            #expect(ConnectionAttempt.state(in: text) == nil)
        }
    }
}
