// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The reason why the bytes of a reply could not be decoded.
package enum DecodingError: Error, Hashable, Sendable {
    /// The reply has no message, or one of its messages has no bytes.
    case empty
    /// The reply belongs to another service; both are reply bytes (service plus 0x40).
    case wrongService(expected: UInt8, actual: UInt8)
    /// The reply is about another PID, frame or InfoType than the request.
    case wrongEcho(expected: [UInt8], actual: [UInt8])
    /// The data does not have the length of its layout.
    case wrongLength(expected: ClosedRange<Int>, actual: Int)
    /// The ECU refused the request.
    case negative(NegativeResponse)
    /// The catalogue does not have the PID.
    case unknownPID(PID)
    /// A reply to several PIDs has a PID that was not requested, or has the PID twice.
    case unexpectedPID(PID)
    /// A reply to several PIDs has a PID of unknown length, so the start of the next PID is unknown.
    case unknownLength(PID)
    /// The reply can be read in more than one way.
    case ambiguous
    /// A bitmap of supported PIDs was expected for a PID that is not a bitmap.
    case notABitmap(PID)
    /// The reply should have one message and has several different messages.
    case tooManyMessages(Int)
    /// Of several numbered messages, the message with this number is missing or exists in two versions.
    case brokenSequence(at: Int)
    /// The reply declares another number of codes or items than it has.
    case wrongCount(declared: Int, present: Int)
    /// The bytes are not 17 digits and letters without I, O and Q.
    case invalidVIN([UInt8])
    /// The ECU has only padding instead of the value.
    case notProgrammed
    /// The format of the codes, which this byte names, is unknown.
    case unknownFormat(UInt8)
    /// The ECU does not keep the states of its codes in this mask.
    case unknownStatus(UInt8)
}

extension DecodingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the reply is empty"
        case .wrongService(let expected, let actual):
            "expected a reply of service byte \(expected.hexadecimal), found \(actual.hexadecimal)"
        case .wrongEcho(let expected, let actual):
            "expected a reply about \(expected.hexadecimal), found \(actual.hexadecimal)"
        case .wrongLength(let expected, let actual):
            expected.count == 1
                ? "expected \(expected.lowerBound) bytes, found \(actual)"
                : "expected \(expected.lowerBound) to \(expected.upperBound) bytes, found \(actual)"
        case .negative(let response): response.description
        case .unknownPID(let pid): "PID \(pid) is unknown"
        case .unexpectedPID(let pid): "PID \(pid) was not requested, or appears twice"
        case .unknownLength(let pid): "the length of PID \(pid) is unknown"
        case .ambiguous: "the reply can be read in more than one way"
        case .notABitmap(let pid): "PID \(pid) does not list supported PIDs"
        case .tooManyMessages(let count): "expected one message, found \(count) different ones"
        case .brokenSequence(let number): "message \(number) is missing or exists in two versions"
        case .wrongCount(let declared, let present): "the reply declares \(declared) items and has \(present)"
        case .invalidVIN(let bytes):
            """
            expected a VIN, 17 digits and capital letters without I, O and Q that are not all the same; found \
            \(Self.text(of: bytes))
            """
        case .notProgrammed: "the ECU has no value"
        case .unknownFormat(let byte): "the codes have the unknown format \(byte.hexadecimal)"
        case .unknownStatus(let mask): "the ECU does not keep the states \(mask.hexadecimal) of its codes"
        }
    }

    /// Returns up to 24 bytes as ASCII text, with a dot for each byte that is not printable.
    private static func text(of bytes: [UInt8]) -> String {
        let letters = bytes.prefix(24).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") }
        return "\"\(String(decoding: letters, as: UTF8.self))\"" + (bytes.count > 24 ? "…" : "")
    }
}
