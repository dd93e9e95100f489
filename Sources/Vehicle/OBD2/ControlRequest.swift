// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A test or a component that service 08 controls: its id and five bytes (SAE J1979, service 08).
package struct ControlRequest: Hashable, Sendable {
    /// The id of the test that closes the EVAP system, so that a tester can check it for leaks.
    ///
    /// Id 00 requests the bitmap of the ids.
    package static let evaporativeLeakTest: UInt8 = 0x01
    /// The number of bytes after the id, in request and reply.
    package static let dataLength = 5

    package let test: UInt8
    /// The five bytes after the id; zero if the test does not use them.
    package let data: [UInt8]

    /// Creates a request; nil for more than five bytes.
    ///
    /// - Parameter data: up to five bytes; zeros follow a shorter list.
    package init?(test: UInt8, data: [UInt8] = []) {
        guard data.count <= Self.dataLength else { return nil }
        self.test = test
        self.data = data + [UInt8](repeating: 0, count: Self.dataLength - data.count)
    }

    package var request: Request { Request(service: .control, data: [self.test] + self.data) }

    /// Returns the five bytes with which an ECU confirms the request.
    ///
    /// - Throws: `.wrongLength`.
    package static func decode(_ reply: Reply) throws(DecodingError) -> [UInt8] {
        let data = try reply.singleMessageData
        guard data.count == Self.dataLength else {
            throw .wrongLength(expected: Self.dataLength...Self.dataLength, actual: data.count)
        }
        return data
    }
}
