// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The latest part of the dialogue with an adapter, as text in two segments.
///
/// One segment is filled, and the other holds the text before it. Both segments together never exceed ``limit``.
/// `TranscriptRing` is a pure state machine: entries go in, batches to write come out.
package struct TranscriptRing: Sendable {
    /// The largest size of both segments together, in bytes.
    package static let limit = 512 * 1024
    /// The size of a batch that is written at once, in bytes.
    static let batch = 4096
    /// The longest time for which an entry waits for its batch to fill; a crash may lose the entries of that time.
    static let timeout = Duration.seconds(1)
    /// The longest entry, in bytes of text; a note with the size replaces a longer one.
    static let lineLimit = 32 * 1024

    /// The number of the segment that is filled, 0 or 1.
    private var segment = 0
    /// The size of that segment, in bytes.
    private var size = 0
    private var pending: [UInt8] = []
    private var pendingSince: MonotonicTime?
    private let header: String

    /// The first words of each segment, with the version of the format.
    package static let magic = "obd-agent transcript 1"

    /// - Parameters:
    ///   - version: the version of the agent.
    ///   - boot: the kernel's id of the boot from which the times count.
    package init(version: String, boot: String) {
        self.header = "\(Self.magic) version=\(version) boot=\(boot)"
    }

    package enum WriteAction: Hashable, Sendable {
        /// Nothing to write yet.
        case wait
        /// Append the bytes to this segment, 0 or 1.
        case append([UInt8], segment: Int)
        /// Replace the content of this segment by the bytes.
        case replace([UInt8], segment: Int)
    }

    /// Adds an entry, and returns the batch to write.
    package mutating func record(_ entry: TranscriptEntry) -> WriteAction {
        let line = Array(entry.line.utf8)
        let omission = TranscriptEntry(.note("an event of \(line.count) bytes was omitted"), at: entry.time)
        self.pending += (line.count <= Self.lineLimit ? line : Array(omission.line.utf8)) + [0x0A]
        let since = self.pendingSince ?? entry.time
        self.pendingSince = since
        let isUrgent =
            switch entry.event {
            case .opened, .lost, .closed, .note: true
            case .starting, .asking, .performing, .sent, .received: false
            }
        guard isUrgent || self.pending.count >= Self.batch || entry.time - since >= Self.timeout else { return .wait }
        return self.flush()
    }

    /// Returns all waiting entries, to be written now.
    package mutating func flush() -> WriteAction {
        guard !self.pending.isEmpty else { return .wait }
        let batch = self.pending
        self.pending = []
        self.pendingSince = nil
        let isFirst = self.size == 0
        guard isFirst || self.size + batch.count > Self.limit / 2 else {
            self.size += batch.count
            return .append(batch, segment: self.segment)
        }
        if !isFirst { self.segment = 1 - self.segment }
        let bytes = Array("\(self.header)\n".utf8) + batch
        self.size = bytes.count
        return .replace(bytes, segment: self.segment)
    }
}
