// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An IPv4 or IPv6 address, for the decision whether its packets leave the local network.
struct IPAddress: Equatable, Sendable {
    /// The sixteen bytes; an IPv4 address is mapped to IPv6 (RFC 4291, section 2.5.5.2).
    let bytes: [UInt8]
    let isVersion6: Bool

    private static let mapping: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

    /// Parses four decimal numbers, or IPv6 (RFC 4291, section 2.2).
    ///
    /// An IPv6 address has no brackets, and may have a zone: `fe80::1%wlan0`.
    init?(_ text: String) {
        if text.contains(":") {
            guard let bytes = Self.version6(text) else { return nil }
            self.bytes = bytes
            self.isVersion6 = true
        } else {
            guard let bytes = Self.version4(text[...]) else { return nil }
            self.bytes = Self.mapping + bytes
            self.isVersion6 = false
        }
    }

    /// Whether the address is loopback, private (RFC 1918, RFC 4193) or link-local.
    var isLocal: Bool {
        if self.bytes.starts(with: Self.mapping) {
            let octets = self.bytes.suffix(4).map(\.self)
            return switch (octets[0], octets[1]) {
            case (127, _), (10, _), (172, 16...31), (192, 168), (169, 254): true
            default: false
            }
        }
        return self.bytes == [UInt8](repeating: 0, count: 15) + [1]
            || self.bytes[0] & 0xFE == 0xFC
            || (self.bytes[0] == 0xFE && self.bytes[1] & 0xC0 == 0x80)
    }

    private static func version4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            // Refuses leading zeros, because some resolvers read such a number as octal.
            guard let byte = UInt8(part), String(byte) == part else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func version6(_ text: String) -> [UInt8]? {
        let zoned = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = zoned.first, zoned.count == 1 || Self.isZone(zoned[1]) else { return nil }
        guard let gap = Self.firstGap(in: address) else {
            return Self.groups(address).flatMap { $0.count == 16 ? $0 : nil }
        }
        guard !address[..<gap].contains("."), let head = Self.groups(address[..<gap]),
            let tail = Self.groups(address[gap...].dropFirst(2)),
            head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// Returns the index of the first `::`.
    private static func firstGap(in text: Substring) -> Substring.Index? {
        text.indices.first { text[$0...].hasPrefix("::") }
    }

    /// Returns the bytes of groups of up to four hexadecimal digits; the last group may be an IPv4 address.
    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, let octets = Self.version4(part) {
                bytes += octets
            } else if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                let group = UInt16(part, radix: 16)
            {
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            } else {
                return nil
            }
            guard bytes.count <= 16 else { return nil }
        }
        return bytes
    }

    /// Whether `text` is the name of a network interface.
    private static func isZone(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains($0))
            }
    }
}
