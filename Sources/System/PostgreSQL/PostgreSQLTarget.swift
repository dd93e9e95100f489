// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL
internal import Glibc

/// A server and a database, from a URI (`postgresql://user@host/database`) or from pairs (`host=… dbname=…`).
///
/// Settings that the text lacks, libpq takes from its environment and its files: `PGPASSFILE`, `~/.pgpass`, services
/// (https://www.postgresql.org/docs/current/libpq-connect.html).
package struct PostgreSQLTarget: Hashable, Sendable, CustomStringConvertible {
    /// The parameters of each attempt: one attempt for each host.
    let attempts: [[String: String]]
    /// The server and the database, without the password.
    package let description: String

    /// Whether the text itself has a secret, such as a password.
    package let hasSecret: Bool

    /// The parameters that nobody else may see.
    private static let secrets = ["password", "sslpassword", "oauth_client_secret"]
    private static let authorities = "/etc/ssl/certs/ca-certificates.crt"

    /// - Parameters:
    ///   - text: the URI or the pairs.
    ///   - password: the password, if it is not a part of `text`.
    ///   - name: the name by which the server lists the connection, if `text` has none.
    package init(_ text: String, password: String? = nil, name: String) throws(PostgreSQLError) {
        var parameters = try Self.parsed(text)
        self.hasSecret = Self.secrets.contains { parameters[$0] != nil }
        if let password { parameters["password"] = password }
        // A kernel that hears nothing from the other end gives the connection up after half a minute.
        let standard = [
            "application_name": name, "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "5",
            "keepalives_count": "4", "tcp_user_timeout": "30000", "gssencmode": "disable",
        ]
        parameters.merge(standard) { given, _ in given }
        parameters["client_encoding"] = "UTF8"
        let places = Self.places(parameters)
        // libpq's own handling of several hosts has no time limit for each of them.
        self.attempts = places.map { place in
            var attempt = parameters
            attempt["host"] = place.host
            attempt["hostaddr"] = place.address
            attempt["port"] = place.port
            return Self.withTLS(attempt, to: place.host ?? place.address ?? "")
        }
        let servers = places.map { place in
            let port = place.port.map { ":\($0)" } ?? ""
            return "\(place.host ?? place.address ?? "the local server")\(port)"
        }
        let name = parameters["dbname"].map { ", database \($0)" } ?? ""
        self.description = servers.joined(separator: ", ") + name
    }

    /// Returns the hosts of the lists in the parameters.
    private static func places(_ parameters: [String: String]) -> [(host: String?, address: String?, port: String?)] {
        func list(_ key: String) -> [String] {
            let items = parameters[key]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
            return items.map(String.init)
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        return (0..<max(1, hosts.count, addresses.count)).map { index in
            let host = hosts.indices.contains(index) ? hosts[index] : nil
            let address = addresses.indices.contains(index) ? addresses[index] : nil
            return (host, address, ports.indices.contains(index) ? ports[index] : ports.last)
        }
    }

    /// Returns the parameters of an attempt; a server on another machine must prove its name unless told otherwise.
    private static func withTLS(_ attempt: [String: String], to host: String) -> [String: String] {
        var attempt = attempt
        let isSocket = host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
        let isLocal = isSocket || ["localhost", "127.0.0.1", "::1"].contains(host)
        let isToldElsewhere =
            unsafe attempt["service"] != nil || getenv("PGSSLMODE") != nil || getenv("PGSERVICE") != nil
        if !isLocal, !isToldElsewhere, attempt["sslmode"] == nil { attempt["sslmode"] = "verify-full" }
        if attempt["sslmode"]?.hasPrefix("verify") == true, attempt["sslrootcert"] == nil,
            unsafe access(Self.authorities, R_OK) == 0
        {
            attempt["sslrootcert"] = Self.authorities
        }
        return attempt
    }

    private static func parsed(_ text: String) throws(PostgreSQLError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &message) else {
            let reason = unsafe message.map { unsafe String(cString: $0) } ?? "no memory"
            unsafe PQfreemem(message)
            throw PostgreSQLError("read the address of the database", .refused, Self.withoutQuotes(reason))
        }
        defer { unsafe PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                parameters[unsafe String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return parameters
    }

    /// Returns a message of the parser without what it quotes, which may be a part of the password.
    static func withoutQuotes(_ message: String) -> String {
        let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
        let line = parts.enumerated().map { index, part in index.isMultiple(of: 2) ? String(part) : "…" }.joined()
        return line.split(separator: "\n").joined(separator: " ")
    }
}
