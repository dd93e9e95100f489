// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327

/// One thing that happened between the agent and an adapter, at one time.
package struct TranscriptEntry: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// A link was opened; its address.
        case opened(String)
        /// The adapter is brought up: on this bus, or nil where it may search.
        case starting(BusProtocol?, StartUp.Reset)
        /// This is asked on this bus: what is sent and received then belongs to it.
        case asking(BusRequest, BusProtocol)
        /// A command of its own, which tries what the adapter can do.
        case performing(Command)
        /// Bytes to the adapter.
        case sent([UInt8])
        /// Bytes from the adapter.
        case received([UInt8])
        /// The link is no more; why.
        case lost(String)
        /// This side closed the link.
        case closed
        /// Anything else that is worth knowing.
        case note(String)
    }

    package let time: MonotonicTime
    package let event: Event

    package init(_ event: Event, at time: MonotonicTime) {
        self.event = event
        self.time = time
    }
}

// MARK: - Text

extension TranscriptEntry {
    /// The entry as a line of text: seconds since the machine's start, what happened, and the bytes as they read.
    package var line: String { "\(Self.text(self.time)) \(self.event.text)" }

    /// Reads a ``line``; nil if it is none.
    package init?(line: Substring) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let time = Self.time(parts[0]),
            let event = Event(kind: parts[1], text: parts.count == 3 ? parts[2] : "")
        else { return nil }
        self.init(event, at: time)
    }

    /// With nine digits behind the point.
    private static func text(_ time: MonotonicTime) -> String {
        let (seconds, attoseconds) = time.sinceBoot.components
        let digits = String(attoseconds.magnitude / 1_000_000_000)
        return "\(seconds).\(String(repeating: "0", count: max(0, 9 - digits.count)))\(digits)"
    }

    private static func time(_ text: Substring) -> MonotonicTime? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 9, let seconds = UInt32(parts[0]), let rest = UInt32(parts[1])
        else { return nil }
        return MonotonicTime(sinceBoot: .seconds(Int64(seconds)) + .nanoseconds(Int64(rest)))
    }
}

extension TranscriptEntry.Event {
    fileprivate var text: String {
        switch self {
        case .opened(let address): "open \(TranscriptText.escaped(Array(address.utf8)))"
        case .starting(let bus, let reset): "start \(bus?.number ?? "0") \(reset)"
        case .asking(let request, let bus): "ask \(bus.number) \(request.text)"
        case .performing(let command): "do \(command.text)"
        case .sent(let bytes): "> \(TranscriptText.escaped(bytes))"
        case .received(let bytes): "< \(TranscriptText.escaped(bytes))"
        case .lost(let reason): "lost \(TranscriptText.escaped(Array(reason.utf8)))"
        case .closed: "close"
        case .note(let text): "note \(TranscriptText.escaped(Array(text.utf8)))"
        }
    }

    fileprivate init?(kind: Substring, text: Substring) {
        let bytes = TranscriptText.bytes(text)
        let words = text.split(separator: " ")
        switch (kind, bytes) {
        case ("open", .some(let bytes)): self = .opened(String(decoding: bytes, as: UTF8.self))
        case ("start", _):
            let resets: [StartUp.Reset] = [.full, .warm, .soft]
            guard words.count == 2, words[0].count == 1, let number = words[0].first,
                let reset = resets.first(where: { "\($0)" == words[1] })
            else { return nil }
            let bus = BusProtocol(number: number)
            guard bus != nil || number == "0" else { return nil }
            self = .starting(bus, reset)
        case ("ask", _):
            guard 6...7 ~= words.count, words[0].count == 1,
                let bus = words[0].first.flatMap(BusProtocol.init(number:)),
                let request = BusRequest(words: words.dropFirst(), on: bus)
            else { return nil }
            self = .asking(request, bus)
        case ("do", _):
            guard let command = Command(text) else { return nil }
            self = .performing(command)
        case (">", .some(let bytes)): self = .sent(bytes)
        case ("<", .some(let bytes)): self = .received(bytes)
        case ("lost", .some(let bytes)): self = .lost(String(decoding: bytes, as: UTF8.self))
        case ("close", _) where text.isEmpty: self = .closed
        case ("note", .some(let bytes)): self = .note(String(decoding: bytes, as: UTF8.self))
        default: return nil
        }
    }
}

extension Command {
    /// Timeout in milliseconds, service, whether it collects, and line: `2000 01 - 010C`.
    fileprivate var text: String {
        let service = self.service.map { TranscriptText.digits([$0]) } ?? "-"
        return
            "\(self.timeout.milliseconds) \(service) \(self.collectsUntilTimeout ? "c" : "-") \(TranscriptText.escaped(Array(self.line.utf8)))"
    }

    fileprivate init?(_ text: Substring) {
        let words = text.split(separator: " ", maxSplits: 3)
        guard words.count == 4, let timeout = UInt32(words[0]), let service = TranscriptText.bytes(digits: words[1]),
            service.count <= 1, let line = TranscriptText.bytes(words[3]),
            words[2] == "-" || words[2] == "c"
        else { return nil }
        self.init(
            String(decoding: line, as: UTF8.self),
            timeout: .milliseconds(Int64(timeout)),
            service: service.first,
            collectsUntilTimeout: words[2] == "c"
        )
    }
}

extension BusRequest {
    /// Payload, echo, lengths, how it is asked and for how many frames, how long to listen first, in milliseconds, and whom, where that is not
    /// everybody: `010C 0C 4-4 - -`.
    fileprivate var text: String {
        let lengths = self.lengths.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "-"
        let count = self.frameCount.map { String($0, radix: 16, uppercase: true) } ?? ""
        let manner = (self.isSlow ? "s" : "") + (self.isRepeatable ? "" : "o") + count
        let words = [
            Self.digits(self.payload), Self.digits(self.echo), lengths, manner.isEmpty ? "-" : manner,
            self.listening.map { "\($0.milliseconds)" } ?? "-",
        ]
        return (words + (self.addressing.map { [$0.text] } ?? [])).joined(separator: " ")
    }

    fileprivate init?(words: ArraySlice<Substring>, on bus: BusProtocol) {
        let words = Array(words)
        guard 5...6 ~= words.count, let payload = TranscriptText.bytes(digits: words[0]), 1...64 ~= payload.count,
            let echo = TranscriptText.bytes(digits: words[1]),
            words[3].allSatisfy({ "-so123456789ABCDEF".contains($0) })
        else { return nil }
        var lengths: ClosedRange<Int>?
        if words[2] != "-" {
            let bounds = words[2].split(separator: "-").compactMap { UInt16($0) }
            guard bounds.count == 2, bounds[0] <= bounds[1] else { return nil }
            lengths = Int(bounds[0])...Int(bounds[1])
        }
        let listening = UInt32(words[4]).map { Duration.milliseconds(Int64($0)) }
        guard listening != nil || words[4] == "-" else { return nil }
        if bus == .j1939 {
            guard payload.count == 3 else { return nil }
            let group = payload.reduce(0) { $0 << 8 | UInt32($1) }
            self.init(group: group, listening: listening, isSlow: words[3].contains("s"))
            return
        }
        let addressing = words.count == 6 ? Addressing(text: words[5]) : nil
        guard words.count == 5 || addressing != nil else { return nil }
        self.init(
            payload: payload,
            echo: echo,
            lengths: lengths,
            isSlow: words[3].contains("s"),
            isRepeatable: !words[3].contains("o"),
            addressing: addressing
        )
        self.frameCount = words[3].last?.hexDigitValue
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "-" : TranscriptText.digits(bytes)
    }
}
