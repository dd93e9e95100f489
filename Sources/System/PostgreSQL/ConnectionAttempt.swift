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
        let message = Self.oneLine(text)
        if let state = Self.state(in: text) { return PostgreSQLError(self.operation, state: state, message) }
        let needsPerson =
            unsafe PQconnectionNeedsPassword(self.handle) == 1
            || ["certificate", "SSL", "invalid", "password"].contains { message.contains($0) }
        return PostgreSQLError(self.operation, needsPerson ? .refused : .unreachable, message)
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
    static func oneLine(_ message: String) -> String {
        let lines = message.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        let line = lines.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: " ")
        return line.isEmpty ? "the connection is lost" : line
    }
}
