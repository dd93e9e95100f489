// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An error of a PostgreSQL server, or of the connection to it.
///
/// Its texts hold no password and no value of a row. The server's details, which may quote rows, are left out.
package struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors, as far as the reaction to them differs.
    package enum Cause: Hashable, Sendable {
        /// The server is not there, starts, stops, takes no writes now, or did not answer in time.
        case unreachable
        /// A person must change something: a password, a right, a certificate, a name.
        case refused
        /// The server has no room on its disk, or no memory.
        case full
        /// Another transaction was in the way; the same transaction succeeds when it is done again.
        case conflict
        /// The values are wrong: out of range, no text in the database's encoding, against a constraint.
        case data
        /// The SQL is wrong, or the schema is another one.
        case misuse
        /// The owner of the connection has interrupted it.
        case interrupted
    }

    /// The operation that failed: `connect to …`, or the SQL.
    package let operation: String
    /// The server's code for the error, if the error came from the server.
    package let state: String?
    /// The message of the server or of libpq.
    package let message: String
    /// The kind of this error.
    package let cause: Cause
    /// The step that may mend the cause; nil if none is known.
    package let advice: String?

    init(_ operation: String, _ cause: Cause, _ message: String, advice: String? = nil) {
        self.operation = operation
        self.state = nil
        self.message = message
        self.cause = cause
        self.advice = advice
    }

    init(_ operation: String, state: String, _ message: String, advice: String? = nil) {
        self.operation = operation
        self.state = state
        self.message = message
        self.cause = Self.cause(of: state)
        self.advice = advice ?? Self.advice(for: state)
    }

    package var description: String {
        let (code, step) = (self.state.map { " (\($0))" } ?? "", self.advice.map { ". Try: \($0)" } ?? "")
        return "\(self.operation): \(self.message)\(code)\(step)"
    }

    /// Returns the kind of a code (https://www.postgresql.org/docs/current/errcodes-appendix.html).
    private static func cause(of state: String) -> Cause {
        switch (state.prefix(2), state) {
        // A lock that was not had in time.
        case (_, "55P03"), ("40", _): .conflict
        // Too many connections; a server that takes no writes, as a replica until it is promoted.
        case (_, "53300"), (_, "25006"): .unreachable
        case ("53", _): .full
        // The connection broke; the server shuts down, crashed, or ended the statement; its files fail.
        case ("08", _), ("57", _), ("58", _): .unreachable
        // A wrong password, no such database, no right.
        case ("28", _), ("3D", _), ("3F", _), (_, "42501"): .refused
        case ("22", _), ("23", _), ("54", _): .data
        case ("42", _), ("0A", _): .misuse
        // Among others, a session that waited too long within a transaction, and the server's own failures. None of
        // them is a reason to give up for ever.
        default: .unreachable
        }
    }

    /// Returns the step that mends the cause of a code; nil if none is known.
    private static func advice(for state: String) -> String? {
        switch state {
        case "28P01": "the file with this user's password: database_password_file or --database-password-file"
        case "28000": "another user in the address, or a rule for this one in the server's pg_hba.conf"
        case "3D000": "createdb --owner USER NAME on the server, or another NAME in the address"
        case "3F000": "a search_path of this user with a schema that exists"
        case "42501": "make the user the owner of the database: ALTER DATABASE name OWNER TO user"
        case "53300": "a larger max_connections of the server"
        default: nil
        }
    }
}
