// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The coding of replies to services 03, 07 and 0A.
package enum CodeReply {
    /// The number of codes in one message of the older buses; unused places are 0000.
    private static let codesPerMessage = 3

    /// Returns the codes of one ECU, each once, in the order of the reply.
    ///
    /// - Throws: `.wrongCount` if the count on CAN does not agree with the length, `.wrongLength` if a message of
    ///   the older buses does not have six bytes of codes, `.tooManyMessages`.
    package static func decode(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> [DTC] {
        switch layout {
        case .can:
            let data = try reply.singleMessageData
            guard let count = data.first else { throw .wrongLength(expected: 1...511, actual: 0) }
            return Self.codes(in: try Items.bytes(in: data.dropFirst(), count: Int(count), size: 2))
        case .legacy:
            var bytes: [UInt8] = []
            for part in reply.parts {
                let length = 2 * Self.codesPerMessage
                guard part.count == length else {
                    throw .wrongLength(expected: length...length, actual: part.count)
                }
                bytes += part
            }
            return Self.codes(in: bytes[...])
        }
    }

    /// Returns the codes of one ECU in the form of its dialect.
    ///
    /// - Parameter reply: the reply, translated to SAE J1979 by ``Dialect/j1979Reply(from:to:)``.
    /// - Throws: the errors of ``decode(_:layout:)``; `.wrongLength`, `.unknownFormat` for the other dialects.
    package static func decode(
        _ reply: Reply,
        layout: MessageLayout,
        dialect: Dialect
    ) throws(DecodingError) -> CodeRecords {
        guard dialect == .j1979 else { return try CodeRecords(data: try reply.singleMessageData) }
        return CodeRecords(try Self.decode(reply, layout: layout).map { CodeRecord(.j2012($0)) })
    }

    /// Returns the payloads, one for each message, with which an ECU reports the first 255 of `codes`.
    package static func encode(_ codes: [DTC], service: Service, layout: MessageLayout) -> [[UInt8]] {
        let codes = codes.prefix(Int(UInt8.max))
        switch layout {
        case .can:
            return [[service.positiveResponse, UInt8(codes.count)] + codes.flatMap(\.bytes)]
        case .legacy:
            return stride(from: 0, to: max(1, codes.count), by: Self.codesPerMessage).map { start in
                let bytes = codes.dropFirst(start).prefix(Self.codesPerMessage).flatMap(\.bytes)
                let padding = [UInt8](repeating: 0, count: 2 * Self.codesPerMessage - bytes.count)
                return [service.positiveResponse] + bytes + padding
            }
        }
    }

    /// Returns the codes of pairs of bytes, each code once; 0000 is padding, not P0000.
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
