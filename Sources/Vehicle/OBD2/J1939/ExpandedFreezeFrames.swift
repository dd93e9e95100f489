// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The freeze frames of one ECU: DM25, expanded freeze frame (SAE J1939-73, 5.7.25).
package struct ExpandedFreezeFrames: Hashable, Sendable {
    /// The values of the parameters when the ECU stored a code.
    package struct Frame: Hashable, Sendable {
        package let code: DiagnosticMessage.Entry
        /// The bytes of the values; ``SupportedSPNs`` has their order and lengths.
        package let data: [UInt8]
    }

    package let frames: [Frame]

    /// Reads the data: before each frame is the number of its bytes; 0 ends the list.
    ///
    /// - Throws: `.wrongLength` if a frame is not complete, `.unknownFormat` for a code with the layout of before 1996.
    package init(_ data: [UInt8]) throws(DecodingError) {
        var frames: [Frame] = []
        var rest = data[...]
        while let length = rest.popFirst(), length != 0 {
            let length = Int(length)
            guard length >= 4, rest.count >= length else {
                throw .wrongLength(expected: max(4, length)...max(4, length), actual: rest.count)
            }
            let code = Array(rest.prefix(4))
            guard code[3] & 0x80 == 0 else { throw .unknownFormat(code[3]) }
            frames.append(Frame(code: DiagnosticMessage.Entry(code), data: Array(rest.prefix(length).dropFirst(4))))
            rest = rest.dropFirst(length)
        }
        self.frames = frames
    }
}

extension ExpandedFreezeFrames.Frame {
    /// Returns the bytes of each value; nil if their lengths do not add up to that of the frame.
    package func values(by supported: SupportedSPNs) -> [(spn: SPN, bytes: [UInt8])]? {
        let entries = supported.entries.filter { $0.isInFreezeFrame && $0.length > 0 }
        guard entries.reduce(0, { $0 + $1.length }) == self.data.count else { return nil }
        var rest = self.data[...]
        return entries.map { entry in
            defer { rest = rest.dropFirst(entry.length) }
            return (entry.spn, Array(rest.prefix(entry.length)))
        }
    }
}
