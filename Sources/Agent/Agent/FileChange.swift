// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// Notices that files are others than those in use, once all of them have come to rest.
///
/// A certificate and its key are two files: between the first and the second they don't belong together. So a change
/// counts when two looks in a row have found the same, and all files are there.
struct FileChange: Sendable {
    private var seen: [FileStamp?] = []

    enum Action: Hashable, Sendable {
        case wait
        /// The files are to be read again.
        case read
    }

    /// The files were looked at, always the same ones in the same order.
    ///
    /// - Parameter used: what they were when whoever uses them read them last.
    mutating func looked(_ stamps: [FileStamp?], used: [FileStamp?]) -> Action {
        defer { self.seen = stamps }
        return stamps != used && stamps == self.seen && !stamps.contains(nil) ? .read : .wait
    }
}
