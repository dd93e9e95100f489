// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import Session

/// Redacts VIN and serial numbers, which identify the vehicle, in a transcript for a bug report.
///
/// Each letter becomes an X and each digit a 0, also in the bytes of the dialogue. Checksums are corrected, so that the
/// transcript can still be replayed.
package enum Redaction {
    /// The requests for the VIN and for serial numbers of engine and ECU.
    ///
    /// They are those of service 09, of OBD on UDS, of manufacturers (F190, and F18C for the serial number of the ECU)
    /// and of J1939.
    private static let requests: [[UInt8]] = [
        [0x09, 0x02], [0x22, 0xF8, 0x02], [0x22, 0xF1, 0x90], [0x00, 0xFE, 0xEC], [0x09, 0x0D], [0x22, 0xF8, 0x0D],
        [0x22, 0xF1, 0x8C], [0x00, 0xFE, 0xEB],
    ]
    /// The first bytes of the answers to ``requests``.
    private static let answers = Self.requests.map { [$0[0] | 0x40] + $0.dropFirst() }

    /// Returns the transcript without VINs and serial numbers.
    package static func redacted(_ transcript: Transcript) -> Transcript {
        var entries = transcript.entries
        // The position of each byte of the reply: the entry, and the offset in its bytes.
        var reply: [(entry: Int, offset: Int)] = []
        var current: (request: BusRequest, bus: BusProtocol)?
        func finish() {
            if let current {
                var lines = Lines(bus: current.bus, isPersonalRequest: Self.requests.contains(current.request.payload))
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
                current = (request, bus)
            case .sent, .performing, .opened, .starting, .lost, .closed, .note:
                finish()
            }
        }
        finish()
        return Transcript(entries, origin: transcript.origin)
    }

    /// The number of letters and digits of a VIN (ISO 3779).
    static let vinLength = 17

    /// Whether a word may be a VIN: 17 characters that a VIN can have, with at least one letter and one digit.
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

    /// The redaction of the lines of one reply, in their order.
    private struct Lines {
        let bus: BusProtocol
        /// Whether the request asked for a VIN or a serial number.
        ///
        /// Then every line is redacted, even a damaged one.
        let isPersonalRequest: Bool
        /// Whether the multi-frame message of each sender is personal, by the CAN identifier of its first frame.
        private var isPersonalMessage: [[UInt8]: Bool] = [:]

        init(bus: BusProtocol, isPersonalRequest: Bool) {
            self.bus = bus
            self.isPersonalRequest = isPersonalRequest
        }

        /// Redacts a line of hexadecimal digits, with or without blanks.
        ///
        /// Any other line stays unchanged.
        mutating func redact(_ line: Range<Int>, _ bytes: inout [UInt8]) {
            let digits = line.filter { bytes[$0] != UInt8(ascii: " ") && bytes[$0] != 0 }
            let values = digits.compactMap { Character(UnicodeScalar(bytes[$0])).hexDigitValue }
            // On CAN the identifier has 3 or 8 digits, which are not counted as bytes.
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
                Self.mask(&message, self.start(of: message, from: source)..<message.count)
            } else {
                guard message.count > 4, self.isPersonalRequest || Self.isPersonalAnswer(message[3...]) else { return }
                let check = self.checksum(message.dropLast())
                let isWhole = message.last == check
                Self.mask(&message, 3..<message.count - 1)
                // A line with a wrong checksum keeps it.
                if isWhole { message[message.count - 1] = self.checksum(message.dropLast()) }
            }
            for (index, byte) in message.enumerated() {
                bytes[digits[header + 2 * index]] = Redaction.digit(byte >> 4)
                bytes[digits[header + 2 * index + 1]] = Redaction.digit(byte & 0x0F)
            }
        }

        /// Returns the offset of the payload in a frame, after the bytes with length or sequence number.
        private func start(of frame: [UInt8], from source: [UInt8]) -> Int {
            guard self.bus.isCAN else {
                // J1939: the announcement of a long message (PGN EC00) has no payload, its packets (EB00) are numbered.
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
            guard self.bus.isCAN else { return self.isPersonalRequest }
            switch frame[0] >> 4 {
            case 0: return self.isPersonalRequest || Self.isPersonalAnswer(frame.dropFirst())
            case 1:
                let isPersonal = self.isPersonalRequest || Self.isPersonalAnswer(frame.dropFirst(2))
                self.isPersonalMessage[source] = isPersonal
                return isPersonal
            // The first frame was lost, so the content is unknown. It is redacted: no decoder can use it anyway.
            case 2: return self.isPersonalRequest || self.isPersonalMessage[source] ?? true
            default: return self.isPersonalRequest
            }
        }

        private static func isPersonalAnswer(_ payload: ArraySlice<UInt8>) -> Bool {
            Redaction.answers.contains { payload.starts(with: $0) }
        }

        private static func mask(_ message: inout [UInt8], _ range: Range<Int>) {
            let payload = message[range]
            // A refusal and the echo of the request identify no vehicle.
            guard payload.first != 0x7F else { return }
            let answer = Redaction.answers.first { payload.starts(with: $0) }
            for index in range.dropFirst(answer?.count ?? 0) where Redaction.isLetterOrDigit(message[index]) {
                message[index] = Redaction.masked(message[index])
            }
        }

        private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt8 {
            self.bus == .j1850PWM || self.bus == .j1850VPW ? Checksum.j1850(bytes) : Checksum.sum(bytes)
        }
    }

    /// Returns the replacement of a letter or a digit.
    static func masked(_ byte: UInt8) -> UInt8 {
        byte < UInt8(ascii: "A") ? UInt8(ascii: "0") : UInt8(ascii: "X")
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Whether a VIN can have this letter or digit (ISO 3779: all but I, O and Q).
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
