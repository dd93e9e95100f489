// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import Session

/// Takes the VIN and serial numbers, which tell whose vehicle it is, out of what is given away.
///
/// Each letter of them becomes an X and each digit a 0, in the bytes of the dialogue too, checksums among them: the
/// transcript plays back as before.
package enum Redaction {
    /// Requests for the VIN and for the engine's serial number: service 09, OBD on UDS, what manufacturers have (F18C is
    /// the ECU's number), and J1939's parameter groups.
    private static let requests: [[UInt8]] = [
        [0x09, 0x02], [0x22, 0xF8, 0x02], [0x22, 0xF1, 0x90], [0x00, 0xFE, 0xEC], [0x09, 0x0C], [0x22, 0xF8, 0x0C],
        [0x22, 0xF1, 0x8C], [0x00, 0xFE, 0xEB],
    ]
    /// How answers to them begin.
    private static let answers = Self.requests.map { [$0[0] | 0x40] + $0.dropFirst() }

    /// The transcript without VINs and serial numbers.
    package static func redacted(_ transcript: Transcript) -> Transcript {
        var entries = transcript.entries
        // Where the bytes of a reply are: entry, and offset in its bytes.
        var reply: [(entry: Int, offset: Int)] = []
        var asked: (request: BusRequest, bus: BusProtocol)?
        func finish() {
            if let asked {
                var lines = Lines(bus: asked.bus, isAsked: Self.requests.contains(asked.request.payload))
                Self.redact(reply, &entries, &lines)
            }
            reply = []
        }
        for index in entries.indices {
            switch entries[index].event {
            case .received(let bytes):
                reply += bytes.indices.map { (index, $0) }
            case .asking(let request, let bus):
                finish()
                asked = (request, bus)
            case .sent, .performing, .opened, .starting, .lost, .closed, .note:
                finish()
            }
        }
        finish()
        return Transcript(entries, origin: transcript.origin)
    }

    /// The number of letters and digits of a VIN (ISO 3779).
    static let vinLength = 17

    /// Whether a word may be a VIN, in capitals or small letters: 17 of its letters and digits, both among them.
    static func isVIN(_ word: ArraySlice<UInt8>) -> Bool {
        word.count == Self.vinLength && word.allSatisfy(Self.isVIN) && word.contains { $0 < 0x41 }
            && word.contains { $0 > 0x40 }
    }

    private static func redact(
        _ reply: [(entry: Int, offset: Int)],
        _ entries: inout [TranscriptEntry],
        _ lines: inout Lines
    ) {
        var bytes = reply.map { entries[$0.entry].event.received[$0.offset] }
        var start = 0
        for end in bytes.indices where [0x0D, 0x0A, UInt8(ascii: ">")].contains(bytes[end]) {
            lines.redact(start..<end, &bytes)
            start = end + 1
        }
        lines.redact(start..<bytes.count, &bytes)
        var changed: [Int: [UInt8]] = [:]
        for (position, byte) in zip(reply, bytes) { changed[position.entry, default: []].append(byte) }
        for (index, bytes) in changed {
            entries[index] = TranscriptEntry(.received(bytes), at: entries[index].time)
        }
    }

    /// The lines of one reply, in their order.
    private struct Lines {
        let bus: BusProtocol
        /// Whether one of them was asked for: then every line counts, whatever became of it.
        let isAsked: Bool
        /// The senders of CAN frames that a message began with, and whether that is a VIN.
        private var begun: [[UInt8]: Bool] = [:]

        init(bus: BusProtocol, isAsked: Bool) {
            self.bus = bus
            self.isAsked = isAsked
        }

        /// Redacts a line of hexadecimal digits, with or without blanks; any other line stays as it is.
        mutating func redact(_ line: Range<Int>, _ bytes: inout [UInt8]) {
            let digits = line.filter { bytes[$0] != UInt8(ascii: " ") && bytes[$0] != 0 }
            let values = digits.compactMap { Character(UnicodeScalar(bytes[$0])).hexDigitValue }
            // On CAN the digits of the identifier are not two to a byte.
            let isFramed = self.bus.isCAN || self.bus == .j1939
            let header = isFramed ? (self.bus.hasExtendedIdentifiers || self.bus == .j1939 ? 8 : 3) : 0
            guard values.count == digits.count, values.count > header, (values.count - header).isMultiple(of: 2) else {
                return
            }
            var message = stride(from: header, to: values.count, by: 2).map {
                UInt8(truncatingIfNeeded: values[$0] << 4 | values[$0 + 1])
            }
            if isFramed {
                let source = digits.prefix(header).map { bytes[$0] }
                guard self.isPersonal(message, from: source) else { return }
                Self.cross(&message, self.start(of: message, from: source)..<message.count)
            } else {
                guard message.count > 4, self.isAsked || Self.begins(message[3...]) else { return }
                let check = self.checksum(message.dropLast())
                let isWhole = message.last == check
                Self.cross(&message, 3..<message.count - 1)
                // A line that was damaged stays damaged.
                if isWhole { message[message.count - 1] = self.checksum(message.dropLast()) }
            }
            for (index, byte) in message.enumerated() {
                bytes[digits[header + 2 * index]] = Redaction.digit(byte >> 4)
                bytes[digits[header + 2 * index + 1]] = Redaction.digit(byte & 0x0F)
            }
        }

        /// Where the part of a message begins in a frame: behind the bytes that number it.
        private func start(of frame: [UInt8], from source: [UInt8]) -> Int {
            guard self.bus.isCAN else {
                // What J1939 announces a long message with has no part of it (PGN EC00); its packets have a number (EB00).
                switch source.dropFirst(2).prefix(2).map({ $0 & 0xDF }) {
                case [0x45, 0x43]: return frame.count
                case [0x45, 0x42]: return min(1, frame.count)
                default: return 0
                }
            }
            return frame[0] >> 4 == 1 ? min(2, frame.count) : 1
        }

        /// Whether a CAN frame is part of a VIN or of a serial number.
        private mutating func isPersonal(_ frame: [UInt8], from source: [UInt8]) -> Bool {
            guard self.bus.isCAN else { return self.isAsked }
            switch frame[0] >> 4 {
            case 0: return self.isAsked || Self.begins(frame.dropFirst())
            case 1:
                let isVIN = self.isAsked || Self.begins(frame.dropFirst(2))
                self.begun[source] = isVIN
                return isVIN
            // Of a message whose beginning was lost nobody knows what it is, and nobody decodes it.
            case 2: return self.isAsked || self.begun[source] ?? true
            default: return self.isAsked
            }
        }

        private static func begins(_ payload: ArraySlice<UInt8>) -> Bool {
            Redaction.answers.contains { payload.starts(with: $0) }
        }

        private static func cross(_ message: inout [UInt8], _ range: Range<Int>) {
            let payload = message[range]
            // What was answered to, and that it was refused, tells nothing.
            guard payload.first != 0x7F else { return }
            let answer = Redaction.answers.first { payload.starts(with: $0) }
            for index in range.dropFirst(answer?.count ?? 0) where Redaction.isLetterOrDigit(message[index]) {
                message[index] = Redaction.crossed(message[index])
            }
        }

        private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
            self.bus == .j1850PWM || self.bus == .j1850VPW ? Checksum.j1850(bytes) : Checksum.sum(bytes)
        }
    }

    /// What stands for a letter or a digit.
    static func crossed(_ byte: UInt8) -> UInt8 {
        byte < UInt8(ascii: "A") ? UInt8(ascii: "0") : UInt8(ascii: "X")
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Whether a VIN has such a letter or digit (ISO 3779: neither I, O nor Q).
    private static func isVIN(_ byte: UInt8) -> Bool {
        !"IOQioq".utf8.contains(byte) && Self.isLetterOrDigit(byte)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

extension TranscriptEntry.Event {
    fileprivate var received: [UInt8] {
        if case .received(let bytes) = self { bytes } else { [] }
    }
}
