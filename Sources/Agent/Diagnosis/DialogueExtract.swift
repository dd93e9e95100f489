// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Session

/// The begin and the end of a dialogue with an adapter, for a report: the bytes that were sent, and those that came.
package struct DialogueExtract: Sendable {
    /// The size of the begin and of the end, in bytes of the dialogue.
    static let headLimit = 8192
    static let tailLimit = 16_384
    /// The largest size of one entry, in bytes of the dialogue.
    static let entryLimit = 2048

    private var head: [TranscriptEntry] = []
    private var tail: [TranscriptEntry] = []
    private var (headSize, tailSize) = (0, 0)
    /// The number of entries between the begin and the end.
    private var omitted = 0

    package init() {}

    /// Adds an entry.
    package mutating func record(_ entry: TranscriptEntry) {
        let entry = Self.cut(entry)
        let size = Self.size(of: entry)
        if self.tail.isEmpty, self.headSize + size <= Self.headLimit {
            self.headSize += size
            return self.head.append(entry)
        }
        self.tailSize += size
        self.tail.append(entry)
        while self.tailSize > Self.tailLimit {
            self.tailSize -= Self.size(of: self.tail.removeFirst())
            self.omitted += 1
        }
    }

    /// The lines of the dialogue, without VIN and serial numbers: seconds since the first entry, direction, bytes.
    ///
    /// `>` is before bytes to the adapter, and `<` before bytes from it. Bytes that are no text are escaped.
    package var lines: [String] {
        guard let start = self.head.first?.time else { return [] }
        let end = self.tail.first?.time ?? start
        let gap = self.omitted > 0 ? [TranscriptEntry(.note("\(self.omitted) entries are left out"), at: end)] : []
        return Redaction.redacted(Transcript(self.head + gap + self.tail, origin: "")).entries.compactMap { entry in
            switch entry.event {
            case .sent, .received, .lost, .note:
                TranscriptEntry(entry.event, at: MonotonicTime(sinceBoot: entry.time - start)).line
            // The address of the adapter, and what the bytes mean.
            case .opened, .starting, .asking, .performing, .closed: nil
            }
        }
    }

    private static func cut(_ entry: TranscriptEntry) -> TranscriptEntry {
        switch entry.event {
        case .sent(let bytes): TranscriptEntry(.sent(Array(bytes.prefix(Self.entryLimit))), at: entry.time)
        case .received(let bytes): TranscriptEntry(.received(Array(bytes.prefix(Self.entryLimit))), at: entry.time)
        case .opened, .starting, .asking, .performing, .lost, .closed, .note: entry
        }
    }

    private static func size(of entry: TranscriptEntry) -> Int {
        switch entry.event {
        case .sent(let bytes), .received(let bytes): bytes.count
        // Such an entry takes room, too.
        case .opened, .starting, .asking, .performing, .lost, .closed, .note: 16
        }
    }
}
