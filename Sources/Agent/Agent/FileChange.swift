// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The detection of files that differ from those in use and have stopped changing.
///
/// A certificate and its key are two files, and between the writing of the first and the second they do not match. So a
/// change counts when two consecutive checks find the same state and all files exist.
struct FileChange: Sendable {
    private var seen: [FileStamp?] = []

    enum CheckAction: Hashable, Sendable {
        case wait
        /// Read the files again.
        case read
    }

    /// The files were checked, always the same ones in the same order.
    ///
    /// - Parameter used: the stamps of the files when the connection read them last.
    mutating func filesChecked(_ stamps: [FileStamp?], used: [FileStamp?]) -> CheckAction {
        defer { self.seen = stamps }
        return stamps != used && stamps == self.seen && !stamps.contains(nil) ? .read : .wait
    }
}
