// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Why bytes from a vehicle were not taken for what they seemed to be.
package enum DecodingError: Error, Hashable, Sendable {
    /// There is no message, or a message has no byte.
    case empty
    /// The reply belongs to another service; both are reply bytes (service plus 0x40).
    case wrongService(expected: UInt8, actual: UInt8)
    /// The reply repeats another PID, frame or InfoType than the request asked for.
    case wrongEcho(expected: [UInt8], actual: [UInt8])
    /// The data has a length that the layout does not have.
    case wrongLength(expected: ClosedRange<Int>, actual: Int)
    /// The ECU refused.
    case negative(NegativeResponse)
    /// No PID of the catalogue.
    case unknownPID(PID)
    /// A reply to several PIDs holds one that was not asked for, or holds one twice.
    case unexpectedPID(PID)
    /// A reply to several PIDs holds one whose length nobody knows: what follows cannot be told apart.
    case unknownLength(PID)
    /// A reply to several PIDs reads in more than one way.
    case ambiguous
    /// A bitmap was asked of a PID that has none.
    case notABitmap(PID)
    /// A reply of one message came as several different ones.
    case tooManyMessages(Int)
    /// A reply of several numbered messages lacks this one, or has two different ones of this number.
    case brokenSequence(at: Int)
    /// The reply declares another number of codes or items than it holds.
    case wrongCount(declared: Int, present: Int)
    /// The VIN has not 17 letters and digits without I, O and Q; these are its bytes.
    case invalidVIN([UInt8])
    /// The ECU holds only padding where the value should be.
    case notProgrammed
    /// Codes are laid out in a way that this byte of theirs names, and that is not known.
    case unknownFormat(UInt8)
    /// The ECU does not keep these states of its codes.
    case unknownStatus(UInt8)
}

extension DecodingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the reply is empty"
        case .wrongService(let expected, let actual):
            "a reply \(actual.hexadecimal) where \(expected.hexadecimal) was expected"
        case .wrongEcho(let expected, let actual):
            "a reply about \(actual.hexadecimal) where \(expected.hexadecimal) was expected"
        case .wrongLength(let expected, let actual):
            expected.count == 1
                ? "\(actual) bytes instead of \(expected.lowerBound)"
                : "\(actual) bytes instead of \(expected.lowerBound) to \(expected.upperBound)"
        case .negative(let response): response.description
        case .unknownPID(let pid): "PID \(pid) is unknown"
        case .unexpectedPID(let pid): "PID \(pid) was not asked for, or came twice"
        case .unknownLength(let pid): "the length of PID \(pid) is unknown"
        case .ambiguous: "the reply reads in more than one way"
        case .notABitmap(let pid): "PID \(pid) does not list supported PIDs"
        case .tooManyMessages(let count): "\(count) different messages instead of one"
        case .brokenSequence(let number): "message \(number) is missing or came in two versions"
        case .wrongCount(let declared, let present): "\(declared) items declared, \(present) present"
        case .invalidVIN(let bytes): "not a VIN: \(bytes.hexadecimal)"
        case .notProgrammed: "the ECU holds no value"
        case .unknownFormat(let byte): "codes of the unknown format \(byte.hexadecimal)"
        case .unknownStatus(let mask): "the ECU does not keep the states \(mask.hexadecimal) of its codes"
        }
    }
}
