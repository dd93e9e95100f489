// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Interprets the lines of a reply to a diagnostic request.
struct ReplyInterpreter: Sendable {
    /// Each ECU's answer to the request.
    private(set) var replies: [ECUAddress: ECUReply] = [:]
    /// The adapter's notices, in order.
    private(set) var notices: [Notice] = []
    /// The number of lines and messages that were damaged or did not answer this request.
    private(set) var dropped = 0
    /// Whether a line was data without a header, as an adapter that ignores `AT H1` prints it.
    private(set) var hasHeaderlessData = false

    init(_ lines: [String], to request: BusRequest, on bus: BusProtocol) {
        guard bus != .j1939 else {
            self.read(group: lines, request)
            return
        }
        var assembler = MessageAssembler(hasAddressExtension: request.addressing?.addressExtension != nil)
        for digits in self.data(in: lines) {
            if let frame = Frame(digits, on: bus, to: request.addressing) {
                assembler.append(frame, on: bus)
            } else {
                self.dropped += 1
                self.hasHeaderlessData = self.hasHeaderlessData || Self.isHeaderless(digits, request)
            }
        }
        assembler.finish()
        self.dropped += assembler.dropped
        for (ecu, messages) in assembler.messages {
            self.read(messages, from: ecu, request)
        }
        if let addressing = request.addressing, addressing.responder == nil { self.keepOne() }
    }

    /// Keeps one reply to a request to one ECU that several identifiers may answer.
    ///
    /// Replies that differ are dropped, because it is unknown which of them is that of the ECU.
    private mutating func keepOne() {
        guard self.replies.count > 1, let first = self.replies.min(by: { $0.key < $1.key }) else { return }
        let isOne = self.replies.values.allSatisfy { $0 == first.value }
        self.dropped += self.replies.count - (isOne ? 1 : 0)
        self.replies = isOne ? [first.key: first.value] : [:]
    }

    /// The messages of each ECU that answered positively.
    var positives: [ECUAddress: [[UInt8]]] {
        self.replies.compactMapValues { reply -> [[UInt8]]? in
            if case .positive(let messages) = reply { messages } else { nil }
        }
    }

    /// The ECUs that answered and the sizes of their answers, without the content.
    var summary: String {
        let parts = self.replies.sorted { $0.key < $1.key }.map { ecu, reply in
            switch reply {
            case .positive(let messages): "\(ecu): \(messages.reduce(0) { $0 + $1.count }) bytes"
            case .negative(let code): "\(ecu): 7F \(hexadecimal(code))"
            }
        }
        return parts.isEmpty ? "(no whole message, \(self.dropped) frames)" : "(\(parts.joined(separator: ", ")))"
    }

    /// Reads the messages of a parameter group, each of which begins with the group's number.
    private mutating func read(group lines: [String], _ request: BusRequest) {
        var assembler = GroupAssembler(request.group)
        for digits in self.data(in: lines) {
            if let frame = GroupFrame(digits) { assembler.append(frame) } else { self.dropped += 1 }
        }
        assembler.finish()
        self.dropped += assembler.dropped
        self.replies = assembler.replies(to: request)
    }

    /// Returns the data lines, and keeps the notices of the other lines.
    private mutating func data(in lines: [String]) -> [String] {
        var data: [String] = []
        for line in lines.prefix(Self.lineLimit) {
            switch ReplyLine(line) {
            case .data(let digits):
                data.append(digits)
            case .notice(let notice):
                self.notices.append(notice)
                if notice == .damaged { self.dropped += 1 }
            case .ok, .progress:
                break
            case .other:
                self.dropped += 1
            }
        }
        return data
    }

    /// The maximum number of lines of a reply: eight ECUs, 4095 bytes each, seven bytes in a frame.
    private static let lineLimit = 5000

    private mutating func read(_ messages: [[UInt8]], from ecu: ECUAddress, _ request: BusRequest) {
        var positive: [[UInt8]] = []
        var negative: UInt8?
        for message in messages {
            switch request.match(message) {
            case .positive: positive.append(message)
            case .negative(let code): negative = code
            case .none: self.dropped += 1
            }
        }
        guard let reply = positive.isEmpty ? negative.map(ECUReply.negative) : .positive(positive) else { return }
        // Nearly every reply has one ECU, and a literal is cheaper than an insertion.
        if self.replies.isEmpty { self.replies = [ecu: reply] } else { self.replies[ecu] = reply }
    }

    private static func isHeaderless(_ digits: String, _ request: BusRequest) -> Bool {
        digits.hasPrefix(hexadecimal([request.service | 0x40] + request.echo))
    }
}
