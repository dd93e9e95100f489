// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The last of the dialogue with an adapter, as text in two segments: one is filled, the other holds what was before.
///
/// A machine: it says what is to be written where, in batches. Both segments together stay within ``limit``, whatever
/// comes.
package struct TranscriptRing: Sendable {
    /// The most that both segments take, in bytes.
    package static let limit = 512 * 1024
    /// The size of a batch that is written at once, in bytes.
    static let batch = 4096
    /// How long anything waits for the batch to fill: so much a crash may cost.
    static let patience = Duration.seconds(1)
    /// The longest event, in bytes of text; of what is longer only this is told.
    static let lineLimit = 32 * 1024

    /// Which of the two segments is filled, and how far.
    private var segment = 0
    private var size = 0
    private var pending: [UInt8] = []
    private var pendingSince: MonotonicTime?
    private let header: String

    /// The first words of each segment, with the version of its form.
    package static let magic = "obd-agent transcript 1"

    /// - Parameters:
    ///   - version: the agent's.
    ///   - boot: the kernel's id of this boot, in which the times count.
    package init(version: String, boot: String) {
        self.header = "\(Self.magic) version=\(version) boot=\(boot)"
    }

    package enum WriteAction: Hashable, Sendable {
        /// Nothing to write yet.
        case wait
        /// Write behind what is in this segment, 0 or 1.
        case append([UInt8], segment: Int)
        /// Write to this segment in the place of what is in it.
        case replace([UInt8], segment: Int)
    }

    /// Something happened.
    package mutating func record(_ entry: TranscriptEntry) -> WriteAction {
        let line = Array(entry.line.utf8)
        let left = TranscriptEntry(.note("an event of \(line.count) bytes is left out"), at: entry.time)
        self.pending += (line.count <= Self.lineLimit ? line : Array(left.line.utf8)) + [0x0A]
        let since = self.pendingSince ?? entry.time
        self.pendingSince = since
        let isUrgent =
            switch entry.event {
            case .opened, .lost, .closed, .note: true
            case .starting, .asking, .performing, .sent, .received: false
            }
        guard isUrgent || self.pending.count >= Self.batch || entry.time - since >= Self.patience else { return .wait }
        return self.flush()
    }

    /// Everything that waits is to be written now.
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
