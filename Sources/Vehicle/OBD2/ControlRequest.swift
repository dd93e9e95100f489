// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A test or a component that service 08 controls: its id and five bytes (SAE J1979, service 08).
package struct ControlRequest: Hashable, Sendable {
    /// Closes the EVAP system for a leak test of the tester's own; 00 asks which ids there are.
    package static let evaporativeLeakTest: UInt8 = 0x01
    /// The bytes after the id, in request and reply.
    package static let dataLength = 5

    package let test: UInt8
    /// Zeros where the test has no use for them.
    package let data: [UInt8]

    /// - Parameter data: up to five bytes; what is missing is zero.
    package init?(test: UInt8, data: [UInt8] = []) {
        guard data.count <= Self.dataLength else { return nil }
        self.test = test
        self.data = data + [UInt8](repeating: 0, count: Self.dataLength - data.count)
    }

    package var request: Request { Request(service: .control, data: [self.test] + self.data) }

    /// The five bytes with which an ECU says that it has done so.
    ///
    /// - Throws: `.wrongLength`.
    package static func decode(_ reply: Reply) throws(DecodingError) -> [UInt8] {
        let data = try reply.only
        guard data.count == Self.dataLength else {
            throw .wrongLength(expected: Self.dataLength...Self.dataLength, actual: data.count)
        }
        return data
    }
}
