// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Parking
import Session
import Base

/// Keeps the probes that were spent on a parked vehicle where a process that dies does not take them along.
///
/// Who crashes, is killed or loses its watchdog again and again would otherwise wake the vehicle each time. An orderly
/// end and the machine's start earn a new probe. What can't be written or read counts as nothing spent.
struct ProbeFile: Sendable {
    /// More lines than any budget has.
    private static let limit = 64

    private let path: String
    private let boot: String

    /// - Parameters:
    ///   - directory: for files of our own.
    ///   - boot: the kernel's id of this boot; the times count from it.
    init(directory: String, boot: String) {
        self.path = "\(directory)/\(KeptFile.probes)"
        self.boot = boot
    }

    /// What a process before this one has spent.
    func read(at now: MonotonicTime) -> ProbeRecord {
        let lines = (TextFile.read(self.path) ?? "").split(separator: "\n").prefix(Self.limit)
        guard lines.count >= 2, lines[0] == self.boot, let inNight = Int(lines[1]), inNight >= 0 else {
            return ProbeRecord()
        }
        let spent = lines.dropFirst(2).compactMap { Int64($0) }
            .map { MonotonicTime(sinceBoot: .milliseconds($0)) }
            .filter { $0 <= now }
        return ProbeRecord(spent: spent, spentInNight: inNight)
    }

    /// So much is spent.
    func keep(_ record: ProbeRecord) {
        let lines = [self.boot, "\(record.spentInNight)"] + record.spent.map { "\($0.sinceBoot.milliseconds)" }
        guard TextFile.write(Array(lines.joined(separator: "\n").utf8), to: self.path + ".new", how: .replacing) else {
            return
        }
        TextFile.move(self.path + ".new", to: self.path)
    }

    /// The agent ends in order.
    func remove() { TextFile.remove(self.path) }
}
