// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import Synchronization

/// An adapter that obeys every setting, and answers every request to the vehicle with a recorded reply.
///
/// The link is its own clock: time passes only while the agent waits.
final class RecordedAdapter: AdapterLink, MonotonicClock {
    private struct State {
        var now = MonotonicTime.zero
        /// The pieces that answer the next request.
        var reply: [[UInt8]] = []
        /// The pieces that the agent has not read yet.
        var arriving: ArraySlice<[UInt8]> = []
    }

    private let state = Mutex(State())

    let address = "recorded"

    var now: MonotonicTime { self.state.withLock { $0.now } }

    /// Sets the reply to the requests from here on.
    func answer(with reply: PrintedReply) {
        self.state.withLock { $0.reply = reply.pieces }
    }

    func write(_ bytes: [UInt8]) {
        let line = String(decoding: bytes.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
        self.state.withLock { state in
            switch line {
            case "": return
            case "ATI": state.arriving.append(Array("ELM327 v1.5\r\r>".utf8))
            case _ where line.hasPrefix("AT"): state.arriving.append(Array("OK\r\r>".utf8))
            default: state.arriving += state.reply
            }
        }
    }

    func read(until deadline: MonotonicTime) -> LinkInput {
        self.state.withLock { state in
            if let piece = state.arriving.popFirst() {
                state.now = state.now + .milliseconds(1)
                return .bytes(piece)
            }
            state.now = max(state.now, deadline)
            return .deadline
        }
    }

    func sleep(until deadline: MonotonicTime) {
        self.state.withLock { $0.now = max($0.now, deadline) }
    }

    func interruptRead() {}

    func close() {}
}
