// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Reads the lines of a reply to a diagnostic request.
struct ReplyInterpreter: Sendable {
    /// What each ECU said that answers the request.
    private(set) var replies: [ECUAddress: ECUReply] = [:]
    /// Notices, in order.
    private(set) var notices: [Notice] = []
    /// Lines and messages that are not of this request, or damaged.
    private(set) var dropped = 0
    /// Whether a line was data without a header, as from an adapter that ignores `AT H1`.
    private(set) var hasHeaderlessData = false

    init(_ lines: [String], to request: BusRequest, on bus: BusProtocol) {
        var assembler = MessageAssembler()
        for line in lines.prefix(Self.lineLimit) {
            switch ReplyLine(line) {
            case .data(let digits):
                if let frame = Frame(digits, on: bus) {
                    assembler.append(frame, on: bus)
                } else {
                    self.dropped += 1
                    self.hasHeaderlessData = self.hasHeaderlessData || Self.isHeaderless(digits, request)
                }
            case .notice(let notice):
                self.notices.append(notice)
                if notice == .damaged { self.dropped += 1 }
            case .ok, .progress:
                break
            case .other:
                self.dropped += 1
            }
        }
        assembler.finish()
        self.dropped += assembler.dropped
        for (ecu, messages) in assembler.messages {
            self.read(messages, from: ecu, request)
        }
    }

    /// No reply has more lines: eight ECUs, 4095 bytes each, seven in a frame.
    private static let lineLimit = 5000

    private mutating func read(_ messages: [[UInt8]], from ecu: ECUAddress, _ request: BusRequest) {
        let prefix = [request.service | 0x40] + request.echo
        var positive: [[UInt8]] = []
        var negative: UInt8?
        for message in messages {
            if message.starts(with: prefix), request.lengths?.contains(message.count) ?? true {
                positive.append(message)
            } else if message.count >= 3, message[0] == 0x7F, message[1] == request.service {
                negative = message[2]
            } else {
                self.dropped += 1
            }
        }
        if !positive.isEmpty {
            self.replies[ecu] = .positive(positive)
        } else if let negative {
            self.replies[ecu] = .negative(negative)
        }
    }

    private static func isHeaderless(_ digits: String, _ request: BusRequest) -> Bool {
        digits.hasPrefix(([request.service | 0x40] + request.echo).map(hexadecimal).joined())
    }
}
