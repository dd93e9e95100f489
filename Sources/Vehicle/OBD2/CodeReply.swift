// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The codes of a reply to service 03, 07 or 0A.
package enum CodeReply {
    /// Codes in one message of the older buses; the rest is filled with 0000.
    private static let slots = 3

    /// The codes of one ECU, each once, in its order; none is an empty list.
    ///
    /// - Throws: `.wrongCount` if the count on CAN does not agree with the length, `.wrongLength` if a message of
    ///   the older buses has not six bytes of codes, `.tooManyMessages`.
    package static func decode(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> [DTC] {
        switch layout {
        case .can:
            let data = try reply.only
            guard let count = data.first else { throw .wrongLength(expected: 1...511, actual: 0) }
            return Self.codes(in: try Items.bytes(in: data.dropFirst(), count: Int(count), size: 2))
        case .legacy:
            var bytes: [UInt8] = []
            for part in reply.parts {
                guard part.count == 2 * Self.slots else {
                    throw .wrongLength(expected: 2 * Self.slots...2 * Self.slots, actual: part.count)
                }
                bytes += part
            }
            return Self.codes(in: bytes[...])
        }
    }

    /// The codes of one ECU, as its dialect has them.
    ///
    /// - Parameter reply: in the words of SAE J1979 (``Dialect/classic(_:to:)``).
    /// - Throws: as the decoder of J1979's own codes; `.wrongLength`, `.unknownFormat`.
    package static func decode(
        _ reply: Reply,
        layout: MessageLayout,
        dialect: Dialect
    ) throws(DecodingError) -> [TroubleCode] {
        guard dialect != .j1979 else { return try Self.decode(reply, layout: layout).map { .j2012($0) } }
        let data = try reply.only
        guard data.count.isMultiple(of: 4) else { throw .wrongLength(expected: 0...4092, actual: data.count) }
        var codes: [TroubleCode] = []
        for start in stride(from: 0, to: data.count, by: 4) {
            guard let code = TroubleCode(bytes: data[start..<start + 4]) else { throw .unknownFormat(data[start]) }
            codes.append(code)
        }
        return codes
    }

    /// The payloads, one for each message, with which an ECU says that it has `codes`; at most 255 of them.
    package static func encode(_ codes: [DTC], service: Service, layout: MessageLayout) -> [[UInt8]] {
        let codes = codes.prefix(Int(UInt8.max))
        switch layout {
        case .can:
            return [[service.positiveResponse, UInt8(codes.count)] + codes.flatMap(\.bytes)]
        case .legacy:
            return stride(from: 0, to: max(1, codes.count), by: Self.slots).map { start in
                let bytes = codes.dropFirst(start).prefix(Self.slots).flatMap(\.bytes)
                return [service.positiveResponse] + bytes + [UInt8](repeating: 0, count: 2 * Self.slots - bytes.count)
            }
        }
    }

    /// Reads pairs of bytes; 0000 is filling, not P0000.
    private static func codes(in bytes: ArraySlice<UInt8>) -> [DTC] {
        var seen: Set<DTC> = []
        var pairs = bytes.makeIterator()
        var codes: [DTC] = []
        while let high = pairs.next(), let low = pairs.next() {
            let code = DTC(high, low)
            if code.rawValue != 0, seen.insert(code).inserted { codes.append(code) }
        }
        return codes
    }
}
