// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The messages in the recording of one ECU, put together without the agent's own code.
///
/// This second reader only tells whether a missing value is the agent's fault, so it is strict: a recording counts as
/// clean if its frames are whole messages and nothing else.
struct RecordedMessages {
    /// The different messages that arrived whole.
    private(set) var whole: [[UInt8]] = []
    /// Whether each frame belongs to a whole message.
    private(set) var isClean = true

    /// The answer to a request in a recording.
    enum Answer {
        /// The only whole message of an ECU whose frames are all part of whole messages.
        case message([UInt8])
        /// Whole messages beside frames that belong to none, or several different ones.
        case doubtful
        /// No whole message.
        case none
    }

    /// Returns the answer to a request, whose messages begin with `head`.
    ///
    /// - Parameter responder: the identifier of the ECU that the agent asks; nil if it asks all. The recording's own
    ///   counts first.
    static func answer(in recorded: RecordedCase, _ head: [UInt8], from responder: String? = nil) -> Answer {
        // An adapter that reports an internal error has restarted.
        let isRestarted = recorded.lines.contains { $0.hasPrefix("ERR") }
        let senders = (recorded.command.responder ?? responder).map { [$0] } ?? Self.senders(in: recorded)
        var isDoubtful = false
        for sender in senders {
            let messages = Self(recorded, from: sender)
            let answers = messages.whole.filter { $0.starts(with: head) }
            if messages.isClean, !isRestarted, answers.count == 1 { return .message(answers[0]) }
            isDoubtful = isDoubtful || !answers.isEmpty
        }
        return isDoubtful ? .doubtful : .none
    }

    /// Returns the whole messages of all ECUs.
    static func all(in recorded: RecordedCase) -> [[UInt8]] {
        Self.senders(in: recorded).flatMap { Self(recorded, from: $0).whole }
    }

    private static func senders(in recorded: RecordedCase) -> [String] {
        Set(recorded.lines.map { String($0.prefix(recorded.command.identifierLength)) }).sorted()
    }

    /// - Parameter identifier: the ECU's identifier.
    private init(_ recorded: RecordedCase, from identifier: String) {
        let hasAddressByte = recorded.command.hasAddressByte
        var open: (length: Int, next: UInt8, bytes: [UInt8])?
        var last: [UInt8] = []
        // A prompt ends the reply.
        for line in recorded.lines.prefix(while: { !$0.hasPrefix(">") }) {
            let digits = line.filter { $0 != " " }
            guard digits.hasPrefix(identifier) else { continue }
            guard let all = [UInt8](hexadecimal: digits.dropFirst(identifier.count)), all.count <= 8 else {
                self.isClean = false
                continue
            }
            let bytes = Array(all.dropFirst(hasAddressByte ? 1 : 0))
            guard bytes != last, let control = bytes.first else { continue }
            last = bytes
            switch control >> 4 {
            case 0 where 1...7 ~= control && bytes.count > control:
                self.isClean = self.isClean && open == nil
                self.add(Array(bytes[1...Int(control)]))
            case 1 where bytes.count == (hasAddressByte ? 7 : 8):
                self.isClean = self.isClean && open == nil
                open = (Int(control & 0xF) << 8 | Int(bytes[1]), 1, Array(bytes.dropFirst(2)))
            case 2:
                guard var message = open.take(), control & 0xF == message.next else {
                    self.isClean = false
                    continue
                }
                message.bytes += bytes.dropFirst().prefix(message.length - message.bytes.count)
                message.next = (message.next + 1) & 0xF
                if message.bytes.count == message.length { self.add(message.bytes) } else { open = message }
            default: self.isClean = false
            }
        }
        self.isClean = self.isClean && open == nil
    }

    private mutating func add(_ message: [UInt8]) {
        if !self.whole.contains(message) { self.whole.append(message) }
    }
}
