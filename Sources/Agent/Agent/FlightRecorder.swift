// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Session

/// Keeps the last of the dialogue with the adapter, and the last status, where a crash does not reach them.
///
/// Without a directory it keeps nothing. What can't be written is left out: nothing else depends on it.
final class FlightRecorder: Sendable {
    private let directory: String
    private let ring: Locked<TranscriptRing>

    /// - Parameters:
    ///   - directory: for files of our own; what the process before has left there is kept once more.
    ///   - version: the agent's.
    ///   - boot: the kernel's id of this boot.
    init(directory: String, version: String, boot: String) {
        self.directory = directory
        self.ring = Locked(TranscriptRing(version: version, boot: boot))
        for (name, before) in zip(KeptFile.segments, KeptFile.segmentsBefore) {
            TextFile.move("\(directory)/\(name)", to: "\(directory)/\(before)")
        }
    }

    /// Something happened between the agent and the adapter.
    func record(_ entry: TranscriptEntry) {
        // Within the lock, so that two batches do not change places.
        self.ring.withLock { self.perform($0.record(entry)) }
    }

    /// What is not written yet is written.
    func flush() {
        self.ring.withLock { self.perform($0.flush()) }
    }

    /// The agent is so now.
    func keep(_ status: AgentStatus) {
        guard let json = try? JSON(encoding: status) else { return }
        let path = "\(self.directory)/\(KeptFile.status)"
        guard TextFile.write(Array(json.text.utf8), to: path + ".new", how: .replacing) else { return }
        TextFile.move(path + ".new", to: path)
    }

    private func perform(_ action: TranscriptRing.WriteAction) {
        switch action {
        case .wait: return
        case .append(let bytes, let segment):
            _ = TextFile.write(bytes, to: "\(self.directory)/\(KeptFile.segments[segment])", how: .appending)
        case .replace(let bytes, let segment):
            _ = TextFile.write(bytes, to: "\(self.directory)/\(KeptFile.segments[segment])", how: .replacing)
        }
    }
}
