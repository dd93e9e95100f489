// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The decoding of replies to service 09 (SAE J1979, InfoTypes).
package enum VehicleInformation {
    /// The name that an ECU reports for itself, in two parts: `ECM`, `EngineControl`.
    package struct ECUName: Hashable, Sendable {
        /// Up to four letters; empty if the reply does not have the form of the standard.
        package let acronym: String
        /// Up to fifteen characters.
        package let name: String

        package init(acronym: String, name: String) {
            self.acronym = acronym
            self.name = name
        }
    }

    /// Returns the VIN without the padding around it, which ECUs send on every bus.
    ///
    /// - Throws: `.notProgrammed` if the reply has only padding, `.invalidVIN`.
    package static func vin(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> VIN {
        try Self.vin(padded: try Self.bytes(of: .vin, in: reply, layout))
    }

    /// Returns the VIN without the padding around it.
    ///
    /// - Throws: `.notProgrammed` if there is only padding, `.invalidVIN`.
    static func vin(padded bytes: [UInt8]) throws(DecodingError) -> VIN {
        let bytes = Self.stripped(bytes)
        guard !bytes.isEmpty else { throw .notProgrammed }
        guard let vin = VIN(bytes: bytes) else { throw .invalidVIN(bytes) }
        return vin
    }

    /// Returns the calibration identifications, in the ECU's order; an empty string stands for a missing one.
    package static func calibrationIDs(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> [String] {
        try Self.items(of: .calibrationIDs, size: Self.calibrationIDSize, in: reply, layout).map(Self.text)
    }

    /// Returns the calibration verification numbers in eight hexadecimal digits, in the order of the identifications.
    package static func calibrationVerificationNumbers(
        _ reply: Reply,
        layout: MessageLayout
    ) throws(DecodingError) -> [String] {
        try Self.items(of: .calibrationVerificationNumbers, size: 4, in: reply, layout)
            .map { $0.map(\.hexadecimal).joined() }
    }

    /// Returns the name of the ECU.
    ///
    /// - Throws: `.notProgrammed` if the reply has only padding.
    package static func ecuName(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> ECUName {
        let items = try Self.items(of: .ecuName, size: Self.ecuNameSize, in: reply, layout)
        guard let item = items.first else { throw .notProgrammed }
        let parts = item.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Self.text(Array($0)) }
        guard parts.contains(where: { !$0.isEmpty }) else { throw .notProgrammed }
        return parts.count == 2 ? ECUName(acronym: parts[0], name: parts[1]) : ECUName(acronym: "", name: parts[0])
    }

    /// Returns the counters of in-use performance.
    ///
    /// - Throws: `.wrongEcho` if the reply is about another InfoType, `.wrongCount`, `.wrongLength`, `.brokenSequence`.
    package static func inUsePerformance(
        _ reply: Reply,
        layout: MessageLayout
    ) throws(DecodingError) -> InUsePerformance {
        let type: InfoType =
            reply.request == .vehicleInformation(.compressionPerformance)
            ? .compressionPerformance : .sparkPerformance
        let counters = try Self.items(of: type, size: 2, in: reply, layout).map { Int($0[0]) << 8 | Int($0[1]) }
        return try InUsePerformance(
            ignition: type == .sparkPerformance ? .spark : .compression,
            counters: counters
        )
    }

    /// Returns the engine serial number or the type approval number, by the request of `reply`.
    ///
    /// - Throws: `.notProgrammed` if the reply has only padding.
    package static func number(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> String {
        let type: InfoType =
            reply.request == .vehicleInformation(.typeApprovalNumber)
            ? .typeApprovalNumber : .engineSerialNumber
        let items = try Self.items(of: type, size: Self.numberSize, in: reply, layout)
        guard let text = items.first.map(Self.text), !text.isEmpty else { throw .notProgrammed }
        return text
    }

    /// Returns the number of messages that the next InfoType has on the buses before CAN.
    package static func messageCount(_ reply: Reply) throws(DecodingError) -> Int {
        let data = try reply.singleMessageData
        guard data.count == 1, let count = data.first else { throw .wrongLength(expected: 1...1, actual: data.count) }
        return Int(count)
    }

    /// Returns the known InfoTypes that the ECU supports.
    package static func supported(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> [InfoType] {
        var bitmap = Array(try Self.bytes(of: .supported, in: reply, layout))
        // On CAN the bitmap begins at the byte that is the count of other InfoTypes.
        if layout == .can { bitmap = try reply.singleMessageData }
        guard bitmap.count == 4 else { throw .wrongLength(expected: 4...4, actual: bitmap.count) }
        let word = bitmap.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return InfoType.allCases.filter { $0 != .supported && word & Self.mask(of: $0) != 0 }
    }

    static let calibrationIDSize = 16
    static let ecuNameSize = 20
    static let numberSize = 17

    /// Returns the bit of an InfoType other than 00.
    static func mask(of type: InfoType) -> UInt32 {
        1 << (32 - UInt32(type.rawValue))
    }

    // MARK: Layout

    /// Returns the items of a reply, each of `size` bytes.
    private static func items(
        of type: InfoType,
        size: Int,
        in reply: Reply,
        _ layout: MessageLayout
    ) throws(DecodingError) -> [[UInt8]] {
        var bytes = try Self.bytes(of: type, in: reply, layout)[...]
        switch layout {
        case .can:
            guard let count = try reply.singleMessageData.first else {
                throw .wrongLength(expected: 1...4093, actual: 0)
            }
            bytes = try Items.bytes(in: bytes, count: Int(count), size: size)
        case .legacy:
            guard bytes.count.isMultiple(of: size) else {
                throw .wrongCount(declared: bytes.count / size + 1, present: bytes.count / size)
            }
        }
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes.dropFirst($0).prefix(size)) }
    }

    /// Returns the bytes after the count on CAN, or the joined data of the numbered messages on the older buses.
    private static func bytes(
        of type: InfoType,
        in reply: Reply,
        _ layout: MessageLayout
    ) throws(DecodingError) -> [UInt8] {
        guard reply.request == .vehicleInformation(type) else {
            throw .wrongEcho(expected: [type.rawValue], actual: reply.request.data)
        }
        switch layout {
        case .can:
            return Array(try reply.singleMessageData.dropFirst())
        case .legacy:
            var messages: [Int: ArraySlice<UInt8>] = [:]
            for part in reply.parts {
                guard let number = part.first.map(Int.init), part.count == 5 else {
                    throw .wrongLength(expected: 5...5, actual: part.count)
                }
                guard messages[number] == nil || messages[number] == part else { throw .brokenSequence(at: number) }
                messages[number] = part
            }
            var bytes: [UInt8] = []
            for number in 1...max(1, messages.count) {
                guard let part = messages[number] else { throw .brokenSequence(at: number) }
                bytes += part.dropFirst()
            }
            return bytes
        }
    }

    /// Returns the bytes without the padding around them: 00, FF and blanks.
    private static func stripped(_ bytes: [UInt8]) -> [UInt8] {
        let isPadding: (UInt8) -> Bool = { $0 == 0x00 || $0 == 0xFF || $0 == UInt8(ascii: " ") }
        return Array(bytes.drop(while: isPadding).reversed().drop(while: isPadding).reversed())
    }

    /// Returns the text of an item, with U+FFFD for all bytes that are not printable ASCII.
    private static func text(_ bytes: [UInt8]) -> String {
        String(
            String.UnicodeScalarView(
                Self.stripped(bytes).map { (0x20...0x7E).contains($0) ? Unicode.Scalar($0) : "\u{FFFD}" }
            )
        )
    }
}
