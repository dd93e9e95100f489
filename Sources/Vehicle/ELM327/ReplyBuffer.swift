// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Collects the bytes of an adapter up to its prompt, and splits them into lines.
///
/// Memory is bounded: bytes beyond ``limit`` are dropped, and the prompt then reports an overflow. NUL bytes are
/// dropped, because adapters insert them (ELM327 data sheet, "Interpreting trouble codes").
struct ReplyBuffer: Sendable {
    /// The longest reply, in bytes.
    ///
    /// A 4095-byte ISO 15765-2 message in printed frames is about 13 kB.
    static let limit = 64 * 1024

    private var bytes: [UInt8] = []
    private var overflowed = false
    /// Whether only spaces and line ends have arrived since the last prompt.
    private(set) var isBlank = true
    /// Whether the last prompt followed an empty line, as the data sheet has it.
    private(set) var endedProperly = true
    /// The index of the first byte that was not yet searched for a text that extends the timeout.
    private var unread = 0
    /// The oddities of the bytes since the owner last reset this.
    var form: ReplyForm = []

    enum Result: Hashable, Sendable {
        /// No prompt yet.
        case incomplete
        /// The prompt came. Lines are trimmed and never empty.
        case reply([String])
        /// The prompt came after more than ``limit`` bytes.
        case overflow
    }

    /// Takes bytes up to and including the next prompt, and removes them from `rest`.
    mutating func take(_ rest: inout ArraySlice<UInt8>) -> Result {
        let end = rest.firstIndex(of: UInt8(ascii: ">"))
        self.append(rest[..<(end ?? rest.endIndex)])
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        return end == nil ? .incomplete : self.finish()
    }

    private mutating func append(_ new: ArraySlice<UInt8>) {
        var highest: UInt8 = 0
        for byte in new {
            highest = max(highest, byte)
            if byte == 0 { self.form.insert(.nulBytes) }
            if byte == UInt8(ascii: "\n") { self.form.insert(.linefeeds) }
        }
        if highest > 0x7E { self.form.insert(.garbage) }
        self.isBlank = self.isBlank && highest <= UInt8(ascii: " ")
        let kept = self.form.contains(.nulBytes) ? new.filter { $0 != 0 }[...] : new
        let room = Self.limit - self.bytes.count
        self.overflowed = self.overflowed || kept.count > room
        self.bytes += kept.prefix(room)
    }

    mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: self.bytes.capacity <= 4096)
        self.overflowed = false
        self.isBlank = true
        self.unread = 0
    }

    /// The last 64 bytes that have arrived since ``markRead()``, without spaces.
    var unreadTail: ArraySlice<UInt8> {
        self.bytes[max(self.unread, self.bytes.count - 64)...].filter { $0 != UInt8(ascii: " ") }[...]
    }

    /// Whether ``unreadTail`` may hold a text that extends the timeout: a dot, or a letter from F on.
    var mayHoldExtension: Bool {
        self.bytes[self.unread...].contains { byte in
            byte == UInt8(ascii: ".") || byte >= UInt8(ascii: "F")
        }
    }

    /// Excludes the bytes so far from ``unreadTail``.
    mutating func markRead() {
        self.unread = self.bytes.count
    }

    private mutating func finish() -> Result {
        defer { self.removeAll() }
        let end = self.bytes.suffix(6).reversed().lazy.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
        self.endedProperly = end.prefix(2).elementsEqual(repeatElement(UInt8(ascii: "\r"), count: 2))
        return self.overflowed ? .overflow : .reply(Self.lines(of: self.bytes))
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        var start = 0
        for end in 0...bytes.count {
            guard end == bytes.count || bytes[end] == UInt8(ascii: "\r") || bytes[end] == UInt8(ascii: "\n") else {
                continue
            }
            let text = Self.text(of: bytes[start..<end])
            if !text.isEmpty { lines.append(text) }
            start = end + 1
        }
        return lines
    }

    /// Returns the printable text of a line.
    ///
    /// A byte that is not printable becomes U+FFFD. Without it, the digits around the byte would join into a wrong
    /// number.
    private static func text(of line: ArraySlice<UInt8>) -> String {
        guard !line.isEmpty else { return "" }
        // The fast path of nearly every line.
        if line.allSatisfy({ 0x21...0x7E ~= $0 }) { return String(decoding: line, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(line.count)
        var pendingSpaces = 0
        for byte in line {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"):
                pendingSpaces += 1
            default:
                if !text.isEmpty, pendingSpaces > 0 { text.append(UInt8(ascii: " ")) }
                pendingSpaces = 0
                if 0x21...0x7E ~= byte { text.append(byte) } else { text += "\u{FFFD}".utf8 }
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
