// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
internal import Glibc

/// An attempt to connect to one host.
@safe
struct ConnectionAttempt {
    private let handle: OpaquePointer
    private let operation: String

    init(_ parameters: [String: String], of target: PostgreSQLTarget) throws(PostgreSQLError) {
        self.operation = "connect to \(target)"
        let keys = parameters.keys.sorted()
        let handle = unsafe withCStrings(keys) { keywords in
            unsafe withCStrings(keys.map { parameters[$0] ?? "" }) { values in
                unsafe PQconnectStartParams(keywords, values, 0)
            }
        }
        guard let handle = unsafe handle else { throw PostgreSQLError(self.operation, .unreachable, "no memory") }
        unsafe self.handle = handle
    }

    /// Returns the connection once it is usable; closes it and throws otherwise.
    func handle(within limit: Duration, _ socket: ConnectionWait) throws(PostgreSQLError) -> OpaquePointer {
        do throws(PostgreSQLError) {
            try self.complete(until: .now + limit, socket)
        } catch {
            unsafe PQfinish(self.handle)
            throw error
        }
        return unsafe self.handle
    }

    private func complete(until deadline: ContinuousClock.Instant, _ socket: ConnectionWait) throws(PostgreSQLError) {
        // The message of a refusal has the server's code then.
        unsafe PQsetErrorVerbosity(self.handle, PQERRORS_VERBOSE)
        defer { unsafe PQsetErrorVerbosity(self.handle, PQERRORS_DEFAULT) }
        guard unsafe PQstatus(self.handle) != CONNECTION_BAD else { throw self.failure }
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            switch next {
            case PGRES_POLLING_READING:
                unsafe try socket.wait(for: Int16(POLLIN), of: self.handle, until: deadline, self.operation)
            case PGRES_POLLING_WRITING:
                unsafe try socket.wait(for: Int16(POLLOUT), of: self.handle, until: deadline, self.operation)
            default: throw self.failure
            }
            next = unsafe PQconnectPoll(self.handle)
        }
    }

    private var failure: PostgreSQLError {
        let text = unsafe String(cString: PQerrorMessage(self.handle))
        let (message, advice) = (Self.oneLine(text), Self.advice(for: text))
        if let state = Self.state(in: text) {
            return PostgreSQLError(self.operation, state: state, message, advice: advice)
        }
        let needsPerson = unsafe PQconnectionNeedsPassword(self.handle) == 1 || Self.isRefusal(text)
        return PostgreSQLError(self.operation, needsPerson ? .refused : .unreachable, message, advice: advice)
    }

    /// Returns whether a message of libpq without the server's code tells of a cause that time does not mend.
    static func isRefusal(_ message: String) -> Bool {
        // Names of hosts, users and files mean nothing here: "nohost.invalid" is no refusal.
        let words = PostgreSQLTarget.withoutQuotes(message)
        // A server that stops during the handshake; a name service that does not know a host yet.
        let isPassing = ["SSL SYSCALL", "unexpected eof", "closed unexpectedly", "could not translate host name"]
            .contains { words.contains($0) }
        return !isPassing
            && ["certificate", "private key", "SSL", "invalid", "password"].contains { words.contains($0) }
    }

    /// Returns the step that mends a cause that has no code of the server; nil for messages that name it themselves.
    static func advice(for message: String) -> String? {
        let steps = [
            (
                ["certificate verify failed"],
                "sslrootcert=FILE in the address, the authority of the server's certificate"
            ),
            (
                ["no password supplied"],
                "the file with the password: database_password_file or --database-password-file"
            ),
            (
                ["could not translate host name"],
                "check the host in the address, and that this machine has a name server"
            ),
            (["does not match host name"], "the host that the certificate names; hostaddr=ADDRESS tells where it is"),
            (["does not support SSL"], "ssl = on in the server's postgresql.conf"),
            (["Is the server running"], "start PostgreSQL there, or correct host and port in the address"),
            (
                [
                    "valid client certificate", "certificate authentication failed", "alert unknown ca",
                    "alert certificate", "alert bad certificate", "alert unsupported certificate",
                ],
                "sslcert=FILE and sslkey=FILE in the address, for this user and from an authority that the server trusts"
            ),
        ]
        return steps.first { parts, _ in parts.contains { message.contains($0) } }?.1
    }

    /// Returns the server's code in libpq's message: `FATAL:  28P01: password authentication failed …`.
    static func state(in message: String) -> String? {
        var rest = Substring(message)
        while let start = rest.firstRange(of: ":  ") {
            rest = rest[start.upperBound...]
            let code = rest.prefix(5)
            let isCode =
                code.utf8.count == 5
                && code.utf8.allSatisfy { byte in
                    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                }
            if isCode, rest.dropFirst(5).hasPrefix(": ") { return String(code) }
        }
        return nil
    }

    /// Returns libpq's message on one line, without the place in the server's source.
    ///
    /// Without its question either: `advice(for:)` has the step.
    static func oneLine(_ message: String) -> String {
        let lines = message.split(separator: "\n")
            .filter { !$0.hasPrefix("LOCATION:") && !$0.contains("Is the server running") }
        let line = lines.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: " ")
        return line.isEmpty ? "the connection is lost" : line
    }
}
