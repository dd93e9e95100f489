// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A host with an optional port: `192.168.0.10:35000`, `broker.example`, `[fe80::1%wlan0]:1883`.
struct Endpoint: Equatable, Sendable {
    /// A host name or an IP address, without brackets.
    let host: String
    let port: UInt16?

    /// Parses an endpoint.
    ///
    /// - Throws: ``ValueError/invalidHost(_:)``, ``ValueError/invalidPort(_:)`` or
    ///   ``ValueError/unbracketedAddress(_:)``.
    init(_ text: some StringProtocol) throws(ValueError) {
        let host: String
        let rest: String
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = String(text[text.index(after: text.startIndex)..<end])
            rest = String(text[text.index(after: end)...])
            guard IPAddress(host)?.isVersion6 == true else { throw .invalidHost(host) }
        } else {
            host = String(text.prefix { $0 != ":" })
            rest = String(text.dropFirst(host.count))
            guard !rest.dropFirst().contains(":") else { throw .unbracketedAddress(String(text)) }
            guard Self.isName(host) else { throw .invalidHost(host) }
        }
        self.host = host
        if rest.isEmpty {
            self.port = nil
        } else {
            guard rest.hasPrefix(":"), let port = Self.port(rest.dropFirst()) else {
                throw .invalidPort(String(rest.drop { $0 == ":" }))
            }
            self.port = port
        }
    }

    /// The domains that no public name server has (RFC 6761, RFC 6762, RFC 8375, and `lan` of many routers).
    private static let localDomains = ["localhost", "local", "home.arpa", "lan"]

    /// Returns whether a host is this machine or in the local network, judged by its address or name alone.
    ///
    /// Loopback, private and link-local addresses are local, and so are names of one label or below `localhost`,
    /// `local`, `home.arpa` and `lan`. The name is not resolved, because it may resolve to another address at each
    /// connection.
    static func isLocal(_ host: String) -> Bool {
        if let address = IPAddress(host) { return address.isLocal }
        let name = host.lowercased()
        // A resolver reads 0x08080808 as an address.
        guard name.contains(".") else { return !name.hasPrefix("0x") }
        return Self.localDomains.contains { name.hasSuffix(".\($0)") }
    }

    /// Returns `host` in the form that precedes a colon and a port: an IPv6 address in brackets.
    static func bracketed(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return UInt16(text).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether `host` is a host name (RFC 1123, section 2.1; `_` occurs in practice) or an IPv4 address.
    ///
    /// A name that ends in a number must be a complete address, because resolvers read `127.1` as an address, too.
    private static func isName(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.utf8.count <= 253, labels.allSatisfy(Self.isLabel), let last = labels.last else { return false }
        return last.contains { !$0.isWholeNumber } || IPAddress(host) != nil
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default:
                    false
                }
            }
    }
}
