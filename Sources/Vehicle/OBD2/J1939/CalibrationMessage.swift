// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The calibrations of one ECU: DM19, calibration information (SAE J1939-73, 5.7.19).
package struct CalibrationMessage: Hashable, Sendable {
    /// A calibration, as in the InfoTypes 04 and 06 of SAE J1979.
    package struct Calibration: Hashable, Sendable {
        /// The identification of up to 16 characters, without the padding.
        package let identification: String
        /// The checksum that proves that the calibration is unaltered.
        package let verificationNumber: UInt32

        package init(identification: String, verificationNumber: UInt32) {
            self.identification = identification
            self.verificationNumber = verificationNumber
        }
    }

    /// The calibrations, in the order of the message.
    package let calibrations: [Calibration]

    package init(_ calibrations: [Calibration]) {
        self.calibrations = calibrations
    }

    private static let size = 20

    /// Reads the data: for each calibration four bytes of its number, least significant first, and 16 of its name.
    ///
    /// An empty place, which has neither, is left out.
    ///
    /// - Throws: `.wrongLength`, `.notProgrammed` if all places are empty.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard !data.isEmpty, data.count.isMultiple(of: Self.size) else {
            let whole = max(1, data.count / Self.size) * Self.size
            throw .wrongLength(expected: whole...whole, actual: data.count)
        }
        self.calibrations = stride(from: 0, to: data.count, by: Self.size).compactMap { start in
            let number = data[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            let text = J1939Text.printable(data[start + 4..<start + Self.size])
            guard !text.isEmpty || number != 0 && number != .max else { return nil }
            return Calibration(identification: String(decoding: text, as: UTF8.self), verificationNumber: number)
        }
        guard !self.calibrations.isEmpty else { throw .notProgrammed }
    }

    /// The data of the message.
    package var data: [UInt8] {
        self.calibrations.flatMap { calibration -> [UInt8] in
            let text = Array(calibration.identification.utf8.prefix(Self.size - 4))
            return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: calibration.verificationNumber >> $0) }
                + text + [UInt8](repeating: 0, count: Self.size - 4 - text.count)
        }
    }
}
