// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import ELM327

/// An event between the agent and an adapter, with its time.
package struct TranscriptEntry: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// A link to this address was opened.
        case opened(String)
        /// The adapter starts up on this bus; nil: it may search. The requests find a vehicle without standard services.
        case starting(BusProtocol?, StartUp.Reset, [BusRequest])
        /// A request on this bus begins; the bytes that follow belong to it.
        case asking(BusRequest, BusProtocol)
        /// A command to the adapter itself begins, such as a trial of a capability.
        case performing(AdapterCommand)
        /// Bytes to the adapter.
        case sent([UInt8])
        /// Bytes from the adapter.
        case received([UInt8])
        /// The link was lost, with the reason.
        case lost(String)
        /// This side closed the link.
        case closed
        /// A note about any other event.
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
    /// The entry as a line of text: the seconds since the boot of the machine, the event, and its bytes as text.
    package var line: String { "\(Self.text(self.time)) \(self.event.text)" }

    /// Creates the entry from its ``line``; nil if the line is malformed.
    package init?(line: Substring) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let time = Self.time(parts[0]),
            let event = Event(kind: parts[1], text: parts.count == 3 ? parts[2] : "")
        else { return nil }
        self.init(event, at: time)
    }

    /// Returns the seconds with nine decimals.
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
        case .starting(let bus, let reset, let requests):
            ([bus?.number.description ?? "0", "\(reset)"] + requests.map { $0.text.replacing(" ", with: ",") })
                .reduce("start") { "\($0) \($1)" }
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
            guard words.count >= 2, words[0].count == 1, let number = words[0].first,
                let reset = resets.first(where: { "\($0)" == words[1] })
            else { return nil }
            let bus = BusProtocol(number: number)
            guard bus != nil || number == "0" else { return nil }
            let requests = words.dropFirst(2).map { word in
                BusRequest(words: word.split(separator: ",")[...], on: bus ?? .can11at500)
            }
            guard !requests.contains(nil) else { return nil }
            self = .starting(bus, reset, requests.compactMap(\.self))
        case ("ask", _):
            guard 6...7 ~= words.count, words[0].count == 1,
                let bus = words[0].first.flatMap(BusProtocol.init(number:)),
                let request = BusRequest(words: words.dropFirst(), on: bus)
            else { return nil }
            self = .asking(request, bus)
        case ("do", _):
            guard let command = AdapterCommand(text) else { return nil }
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

extension AdapterCommand {
    /// The text of the command: timeout in milliseconds, service, collection, and line, such as `2000 01 - 010C`.
    ///
    /// The collection is `c` if the command collects bytes until the timeout, otherwise `-`.
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
    /// The text of the request, such as `010C 0C 4-4 - -`.
    ///
    /// The text has the payload, the echo, the lengths, the manner, the time to listen first in milliseconds, and the
    /// addressing if the request is not for all ECUs. The manner is `s` for a slow request, `o` for one that is sent
    /// only once, and the number of frames as a hexadecimal digit.
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
