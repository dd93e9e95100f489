// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The last epoch, in a file beside the database, for the day on which that is damaged.
///
/// The seconds since 1970 are no new number on a machine that has lost its database and does not know the date: it may
/// have begun with them before.
enum EpochFile {
    static let name = "obd-agent.epoch"

    /// The last epoch that was begun in a directory; nil where nobody knows.
    static func last(in directory: String) -> UInt64? {
        TextFile.read("\(directory)/\(Self.name)").flatMap { UInt64($0) }.map { min($0, RecordID.epochLimit) }
    }

    /// Writes down that an epoch has begun.
    static func write(_ epoch: UInt64, in directory: String) {
        guard Self.last(in: directory) != epoch else { return }
        let path = "\(directory)/\(Self.name)"
        // Whole or not at all: what was there before is better than a part of a number.
        guard TextFile.write(Array("\(epoch)\n".utf8), to: path + ".new", how: .replacing) else { return }
        TextFile.move(path + ".new", to: path)
    }
}
