// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Session

/// Keeps the end of the transcript with the adapter, and the last status, in files that survive a crash.
///
/// A failed write is ignored, because nothing else depends on these files.
final class FlightRecorder: Sendable {
    private let directory: String
    private let ring: Locked<TranscriptRing>

    /// - Parameters:
    ///   - directory: the runtime directory; the transcript of the previous process there is kept once more.
    ///   - version: the agent's version.
    ///   - boot: the kernel's id of this boot.
    init(directory: String, version: String, boot: String) {
        self.directory = directory
        self.ring = Locked(TranscriptRing(version: version, boot: boot))
        for (name, before) in zip(KeptFile.segments, KeptFile.segmentsBefore) {
            TextFile.move("\(directory)/\(name)", to: "\(directory)/\(before)")
        }
    }

    /// Appends an entry of the dialogue with the adapter.
    func record(_ entry: TranscriptEntry) {
        // Within the lock, so that batches are written in order.
        self.ring.withLock { self.perform($0.record(entry)) }
    }

    /// Writes the buffered entries.
    func flush() {
        self.ring.withLock { self.perform($0.flush()) }
    }

    /// Replaces the kept status.
    func keep(_ status: AgentStatus) {
        guard let json = try? JSON(encoding: status) else { return }
        let path = "\(self.directory)/\(KeptFile.status)"
        _ = TextFile.writeAtomically(Array(json.text.utf8), to: path, isFlushed: false)
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
