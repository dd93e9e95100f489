// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Parking
import Session

/// The file of the probes that were spent on a parked vehicle, which outlives a crash.
///
/// Without it an agent that crashes, is killed or is restarted by the watchdog would wake the vehicle each time. An
/// orderly end and the machine's start earn a new probe. A file that cannot be written or read counts as no probe spent.
struct ProbeFile: Sendable {
    /// The most lines that are read, more than any budget has.
    private static let limit = 64

    private let path: String
    private let boot: String

    /// - Parameters:
    ///   - directory: the runtime directory.
    ///   - boot: the kernel's id of this boot; the times count from its start.
    init(directory: String, boot: String) {
        self.path = "\(directory)/\(KeptFile.probes)"
        self.boot = boot
    }

    /// Returns the probes that the previous process spent.
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

    /// Replaces the spent probes.
    func keep(_ record: ProbeRecord) {
        let lines = [self.boot, "\(record.spentInNight)"] + record.spent.map { "\($0.sinceBoot.milliseconds)" }
        _ = TextFile.writeAtomically(Array(lines.joined(separator: "\n").utf8), to: self.path, isFlushed: false)
    }

    /// Removes the file, at an orderly end.
    func remove() { TextFile.remove(self.path) }
}
