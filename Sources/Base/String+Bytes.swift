// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Returns the beginning of the text, cut between two Unicode scalars, in at most `limit` bytes of UTF-8.
    ///
    /// A limit in characters would not bound the size of untrusted text, because a `Character` can have any length.
    package func prefix(bytes limit: Int) -> String {
        let bytes = self.utf8
        guard let limited = bytes.index(bytes.startIndex, offsetBy: limit, limitedBy: bytes.endIndex) else {
            return String(self)
        }
        var end = limited
        // A byte that continues a scalar is 10xxxxxx (RFC 3629 section 3).
        while end > bytes.startIndex, end < bytes.endIndex, bytes[end] & 0xC0 == 0x80 {
            end = bytes.index(before: end)
        }
        return String(self[..<end])
    }
}

extension String {
    /// The largest number of combining marks in a row in untrusted text.
    ///
    /// The limit is that of the Stream-Safe Text Format (Unicode Standard Annex #15).
    package static let markLimit = 30

    /// Whether no more than ``markLimit`` combining marks follow each other.
    ///
    /// Hashing and comparing normalize a text, in a time that grows with the square of its longest run of marks.
    package var isStreamSafe: Bool {
        var marks = 0
        for scalar in self.unicodeScalars {
            // There are no marks below U+0300, so most texts need no lookup.
            guard scalar.value >= 0x300, scalar.properties.canonicalCombiningClass != .notReordered else {
                marks = 0
                continue
            }
            marks += 1
            if marks > Self.markLimit { return false }
        }
        return true
    }
}
