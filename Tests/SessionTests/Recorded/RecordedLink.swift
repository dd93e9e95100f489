// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Synchronization

/// A link that answers the request of a recorded dialogue with its reply, and commands to the adapter with `OK`.
///
/// The link is also the clock: time passes only when a read or a sleep reaches its deadline.
final class RecordedLink: AdapterLink, MonotonicClock {
    private struct State {
        var now = MonotonicTime.zero
        var unread: ArraySlice<UInt8> = []
    }

    private let request: String
    private let reply: String
    private let size: Int
    private let state = Mutex(State())

    init(_ dialogue: RecordedDialogue, inPiecesOf size: Int) {
        self.request = dialogue.request
        self.reply = dialogue.reply
        self.size = size
    }

    var address: String { "recorded" }
    var now: MonotonicTime { self.state.withLock { $0.now } }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        self.state.withLock { state in
            switch String(decoding: bytes, as: UTF8.self) {
            case self.request + "\r":
                state.unread += self.reply.utf8
            case "ATI\r": state.unread += "ELM327 v1.5\r\r>".utf8
            case " ": break
            default: state.unread += "OK\r\r>".utf8
            }
        }
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        self.state.withLock { state in
            guard !state.unread.isEmpty else {
                state.now = max(state.now, deadline)
                return .deadline
            }
            let piece = state.unread.prefix(self.size)
            state.unread = state.unread.dropFirst(self.size)
            return .bytes(Array(piece))
        }
    }

    func sleep(until deadline: MonotonicTime) async throws {
        self.state.withLock { $0.now = max($0.now, deadline) }
    }

    func interruptRead() {}
    func close() {}
}
