// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// A copy of the last epoch, in a file beside the database, in case the database is damaged.
///
/// Without it, a machine that has lost its database would begin with the seconds since 1970. If it does not know the
/// date, that number may not be new.
enum EpochFile {
    static let name = "obd-agent.epoch"

    /// Returns the last epoch of a directory; nil if it is unknown.
    static func last(in directory: String) -> UInt64? {
        TextFile.read("\(directory)/\(Self.name)").flatMap { UInt64($0) }.map { min($0, RecordID.epochLimit) }
    }

    /// Writes the epoch that has begun.
    static func write(_ epoch: UInt64, in directory: String) {
        guard Self.last(in: directory) != epoch else { return }
        let path = "\(directory)/\(Self.name)"
        // The old number is better than a part of the new one.
        _ = TextFile.writeAtomically(Array("\(epoch)\n".utf8), to: path, isFlushed: false)
    }
}
