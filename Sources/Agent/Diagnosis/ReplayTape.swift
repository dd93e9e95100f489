// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Session
import Synchronization

/// A transcript as the link to its adapter, and as the clock of its recording.
///
/// Reads return the recorded replies. Writes are compared with the recorded ones.
final class ReplayTape: AdapterLink, MonotonicClock {
    private struct State {
        var index = 0
        var now: MonotonicTime
        var divergence: String?
    }

    private let entries: [TranscriptEntry]
    private let state: Mutex<State>

    init(_ transcript: Transcript) {
        self.entries = transcript.entries
        self.state = Mutex(State(now: transcript.entries.first?.time ?? .zero))
    }

    var address: String { "transcript" }
    var now: MonotonicTime { self.state.withLock { $0.now } }

    /// The number of the entries before the present position.
    var position: Int { self.state.withLock { $0.index } }

    /// The next entry.
    ///
    /// The position does not change.
    var nextEntry: TranscriptEntry? { self.state.withLock { self.entry($0) } }

    /// Moves behind the next entry, and sets the clock to its time.
    func skip() {
        self.state.withLock { self.advance(&$0) }
    }

    /// Returns the first difference from the recording, if there is one, and clears it.
    func takeDivergence() -> String? {
        self.state.withLock { state in
            defer { state.divergence = nil }
            return state.divergence
        }
    }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        let error = self.state.withLock { state -> LinkError? in
            let blank = [UInt8(ascii: " ")]
            // The blank that wakes an adapter depends on the time since the last command, which may differ slightly.
            if bytes != blank, self.entry(state)?.event == .sent(blank) { self.advance(&state) }
            switch self.entry(state)?.event {
            case .sent(bytes):
                self.advance(&state)
                return nil
            case .lost(let reason): return .lost(reason)
            case nil: return .lost("the transcript ends here")
            case .some where bytes == blank: return nil
            case .some:
                state.divergence = TranscriptEntry(.sent(bytes), at: state.now).line
                return .lost("the transcript goes on differently")
            }
        }
        if let error { throw error }
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        let result = self.state.withLock { state -> Result<LinkInput, LinkError> in
            switch self.entry(state)?.event {
            case .received(let bytes):
                self.advance(&state)
                return .success(.bytes(bytes))
            case .lost(let reason): return .failure(.lost(reason))
            case nil: return .failure(.lost("the transcript ends here"))
            case .some(let event):
                if let entry = self.entry(state), deadline - entry.time > .milliseconds(1) {
                    // The recording agent was stopped during this wait.
                    if event == .closed { return .failure(.closed) }
                    state.divergence = "it waits until \(deadline.sinceBoot.seconds) s"
                    return .failure(.lost("the transcript goes on differently"))
                }
                state.now = max(state.now, deadline)
                return .success(.deadline)
            }
        }
        return try result.get()
    }

    func sleep(until deadline: MonotonicTime) async throws {
        self.state.withLock { $0.now = max($0.now, deadline) }
    }

    func interruptRead() {}
    func close() {}

    private func entry(_ state: State) -> TranscriptEntry? {
        self.entries.indices.contains(state.index) ? self.entries[state.index] : nil
    }

    private func advance(_ state: inout State) {
        guard let entry = self.entry(state) else { return }
        state.now = max(state.now, entry.time)
        state.index += 1
    }
}
