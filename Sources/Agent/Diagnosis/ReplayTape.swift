// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Session
import Synchronization
import Base

/// A transcript as a link to an adapter that says what it said then, and as the clock of that time.
///
/// What is written is held against what was written then.
final class ReplayTape: AdapterLink, MonotonicClock {
    private struct State {
        var next = 0
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

    /// How many entries are behind it.
    var position: Int { self.state.withLock { $0.next } }

    /// The next entry, which is left where it is.
    var next: TranscriptEntry? { self.state.withLock { self.entry($0) } }

    /// Goes on behind the next entry, at its time.
    func skip() {
        self.state.withLock { self.take(&$0) }
    }

    /// Why the replay is no longer what was recorded, once.
    func takeDivergence() -> String? {
        self.state.withLock { state in
            defer { state.divergence = nil }
            return state.divergence
        }
    }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        let error = self.state.withLock { state -> LinkError? in
            let blank = [UInt8(ascii: " ")]
            // The blank that wakes an adapter comes by the time since the last command, which may differ by a hair.
            if bytes != blank, self.entry(state)?.event == .sent(blank) { self.take(&state) }
            switch self.entry(state)?.event {
            case .sent(bytes):
                self.take(&state)
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
                self.take(&state)
                return .success(.bytes(bytes))
            case .lost(let reason): return .failure(.lost(reason))
            case nil: return .failure(.lost("the transcript ends here"))
            case .some(let event):
                if let entry = self.entry(state), deadline - entry.time > .milliseconds(1) {
                    // The agent was stopped while it waited.
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

    func wake() {}
    func close() {}

    private func entry(_ state: State) -> TranscriptEntry? {
        self.entries.indices.contains(state.next) ? self.entries[state.next] : nil
    }

    private func take(_ state: inout State) {
        guard let entry = self.entry(state) else { return }
        state.now = max(state.now, entry.time)
        state.next += 1
    }
}
