// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The model year and the certified engine family: DM56 (SAE J1939-73, 5.7.56).
package struct EngineFamily: Hashable, Sendable {
    /// The model year of ``subject``, such as 2027.
    package let modelYear: Int
    package let subject: Subject
    /// The name of the engine family in the certificate.
    package let name: String

    /// The subject of a model year.
    package enum Subject: String, Hashable, Sendable, CaseIterable {
        case engine = "E"
        case vehicle = "V"
    }

    /// Reads the text: `2027E-MY`, and the name up to an asterisk.
    ///
    /// - Throws: `.wrongLength`, `.notProgrammed` if the text begins with no model year.
    package init(_ data: [UInt8]) throws(DecodingError) {
        guard data.count >= Self.headLength else {
            throw .wrongLength(expected: Self.headLength...1785, actual: data.count)
        }
        let head = String(decoding: J1939Text.printable(data.prefix(Self.headLength)), as: UTF8.self)
        guard head.utf8.count == Self.headLength, head.hasSuffix("-MY"), let year = Int(head.prefix(4)),
            let subject = Subject(rawValue: String(head.dropFirst(4).prefix(1)))
        else { throw .notProgrammed }
        self.modelYear = year
        self.subject = subject
        let name = data.dropFirst(Self.headLength).prefix { $0 != UInt8(ascii: "*") }
        self.name = String(decoding: J1939Text.printable(name), as: UTF8.self)
    }

    private static let headLength = 8
}
