// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// Notices that files are others than they were, once all of them have come to rest.
///
/// A certificate and its key are two files: between the first and the second they don't belong together. So a change
/// counts when two looks in a row have found the same, and all files are there.
struct FileChange: Sendable {
    /// What whoever uses the files knows of.
    private var known: [FileStamp?]
    private var seen: [FileStamp?]

    init(_ stamps: [FileStamp?]) {
        (self.known, self.seen) = (stamps, stamps)
    }

    enum Action: Hashable, Sendable {
        case wait
        /// The files are to be read again.
        case read
    }

    /// The files were looked at, always the same ones in the same order.
    ///
    /// - Parameter wereRead: whether somebody has read them since the look before this one.
    mutating func looked(_ stamps: [FileStamp?], wereRead: Bool) -> Action {
        defer { self.seen = stamps }
        guard stamps != self.known, stamps == self.seen, !stamps.contains(nil) else { return .wait }
        self.known = stamps
        return wereRead ? .wait : .read
    }
}
