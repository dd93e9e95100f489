// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The contents of replies to service 09 (SAE J1979, InfoTypes).
package enum VehicleInformation {
    /// What an ECU calls itself: `ECM`, `EngineControl`.
    package struct ECUName: Hashable, Sendable {
        /// Up to four letters; empty if the ECU does not follow the form.
        package let acronym: String
        /// Up to fifteen characters.
        package let name: String

        package init(acronym: String, name: String) {
            self.acronym = acronym
            self.name = name
        }
    }

    /// The VIN, without the padding around it that is common on every bus.
    ///
    /// - Throws: `.notProgrammed` if there is nothing but padding, `.invalidVIN`.
    package static func vin(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> VIN {
        let bytes = Self.stripped(try Self.bytes(of: .vin, in: reply, layout))
        guard !bytes.isEmpty else { throw .notProgrammed }
        guard let vin = VIN(bytes: bytes) else { throw .invalidVIN(bytes) }
        return vin
    }

    /// The calibration identifications, in the ECU's order; empty strings hold the place of missing ones.
    package static func calibrationIDs(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> [String] {
        try Self.items(of: .calibrationIDs, size: Self.calibrationIDSize, in: reply, layout).map(Self.text)
    }

    /// The calibration verification numbers as eight hexadecimal digits, in the order of the identifications.
    package static func calibrationVerificationNumbers(
        _ reply: Reply,
        layout: MessageLayout
    ) throws(DecodingError) -> [String] {
        try Self.items(of: .calibrationVerificationNumbers, size: 4, in: reply, layout)
            .map { $0.map(\.hexadecimal).joined() }
    }

    /// The name of the ECU.
    ///
    /// - Throws: `.notProgrammed` if there is nothing but padding.
    package static func ecuName(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> ECUName {
        let items = try Self.items(of: .ecuName, size: Self.ecuNameSize, in: reply, layout)
        guard let item = items.first else { throw .notProgrammed }
        let parts = item.split(separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
            .map { Self.text(Array($0)) }
        guard parts.contains(where: { !$0.isEmpty }) else { throw .notProgrammed }
        return parts.count == 2 ? ECUName(acronym: parts[0], name: parts[1]) : ECUName(acronym: "", name: parts[0])
    }

    /// The counters of in-use performance.
    ///
    /// - Throws: `.wrongEcho` if the reply is about something else, `.wrongCount`, `.wrongLength`, `.brokenSequence`.
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

    /// The engine's serial number or the number of its type approval, as `reply` was asked.
    ///
    /// - Throws: `.notProgrammed` if there is nothing but padding.
    package static func number(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> String {
        let type: InfoType =
            reply.request == .vehicleInformation(.typeApprovalNumber)
            ? .typeApprovalNumber : .engineSerialNumber
        let items = try Self.items(of: type, size: Self.numberSize, in: reply, layout)
        guard let text = items.first.map(Self.text), !text.isEmpty else { throw .notProgrammed }
        return text
    }

    /// How many messages the next InfoType needs, on the buses before CAN.
    package static func messageCount(_ reply: Reply) throws(DecodingError) -> Int {
        let data = try reply.only
        guard data.count == 1, let count = data.first else { throw .wrongLength(expected: 1...1, actual: data.count) }
        return Int(count)
    }

    /// The InfoTypes that the ECU supports, of those that we know.
    package static func supported(_ reply: Reply, layout: MessageLayout) throws(DecodingError) -> [InfoType] {
        var bitmap = Array(try Self.bytes(of: .supported, in: reply, layout))
        // CAN puts the bitmap where the others have their count.
        if layout == .can { bitmap = try reply.only }
        guard bitmap.count == 4 else { throw .wrongLength(expected: 4...4, actual: bitmap.count) }
        let word = bitmap.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return InfoType.allCases.filter { $0 != .supported && word & Self.mask(of: $0) != 0 }
    }

    static let calibrationIDSize = 16
    static let ecuNameSize = 20
    static let numberSize = 17

    /// Where an InfoType other than 00 has its bit.
    static func mask(of type: InfoType) -> UInt32 {
        1 << (32 - UInt32(type.rawValue))
    }

    // MARK: Layout

    /// The bytes of items of one size.
    private static func items(
        of type: InfoType,
        size: Int,
        in reply: Reply,
        _ layout: MessageLayout
    ) throws(DecodingError) -> [[UInt8]] {
        var bytes = try Self.bytes(of: type, in: reply, layout)[...]
        switch layout {
        case .can:
            guard let count = try reply.only.first else { throw .wrongLength(expected: 1...4093, actual: 0) }
            bytes = try Items.bytes(in: bytes, count: Int(count), size: size)
        case .legacy:
            guard bytes.count.isMultiple(of: size) else {
                throw .wrongCount(declared: bytes.count / size + 1, present: bytes.count / size)
            }
        }
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes.dropFirst($0).prefix(size)) }
    }

    /// What follows the count on CAN, or the data of all numbered messages put in order.
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
            return Array(try reply.only.dropFirst())
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

    /// The bytes without the padding around them: 00, FF and blanks.
    private static func stripped(_ bytes: [UInt8]) -> [UInt8] {
        let isPadding: (UInt8) -> Bool = { $0 == 0x00 || $0 == 0xFF || $0 == UInt8(ascii: " ") }
        return Array(bytes.drop(while: isPadding).reversed().drop(while: isPadding).reversed())
    }

    /// The text of an item; what is not printable ASCII is shown as the replacement character.
    private static func text(_ bytes: [UInt8]) -> String {
        String(
            String.UnicodeScalarView(
                Self.stripped(bytes).map { (0x20...0x7E).contains($0) ? Unicode.Scalar($0) : "\u{FFFD}" }
            )
        )
    }
}
