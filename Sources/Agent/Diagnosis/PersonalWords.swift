// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Session

/// Words that are known to tell whose vehicle it is, and labels that stand for them in what is given away.
package struct PersonalWords: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case vehicle, user, file, host, topic, machine, signer
    }

    /// The number of replacements by label, and by form: `VIN`, `hardware address`.
    package private(set) var counts: [String: Int] = [:]

    private struct Word: Sendable {
        let bytes: [UInt8]
        let label: String
    }

    /// By their first two bytes, the longest first.
    private var words: [[UInt8]: [Word]] = [:]
    private var numbers: [Kind: Int] = [:]

    /// Words that identify nobody; a text without them could no longer be read.
    private static let ordinary: Set<String> = [
        "obd-agent", "obd", "agent", "mqtt", "root", "localhost", "127.0.0.1", "::1", "raspberrypi", "homeassistant",
        "none", "null", "true", "false",
    ]

    package init() {}

    /// Adds a word; one of less than two letters, and an ordinary one, is left out.
    package mutating func add(_ text: String, as kind: Kind) {
        let bytes = text.utf8.map(Self.lowercased)
        guard bytes.count >= 2, !Self.ordinary.contains(text.lowercased()) else { return }
        let key = Array(bytes.prefix(2))
        guard self.words[key, default: []].allSatisfy({ $0.bytes != bytes }) else { return }
        let number = self.numbers[kind, default: 0] + 1
        self.numbers[kind] = number
        self.words[key, default: []].append(Word(bytes: bytes, label: "[\(kind.rawValue) \(number)]"))
        self.words[key]?.sort { $0.bytes.count > $1.bytes.count }
    }

    /// The text with labels for the words, in small letters or capitals, and without VINs and hardware addresses.
    package mutating func redacted(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            // A word begins where no letter or digit stands before it.
            if let last = result.last, Self.isWordByte(last), Self.isWordByte(byte) {
                result.append(byte)
                rest = rest.dropFirst()
            } else if let word = self.word(at: rest) {
                self.counts[word.label, default: 0] += 1
                result += Array(word.label.utf8)
                rest = rest.dropFirst(word.bytes.count)
            } else if Redaction.isVIN(rest.prefix { Self.isWordByte($0) }) {
                self.counts["VIN", default: 0] += 1
                result += rest.prefix(Redaction.vinLength).map(Redaction.crossed)
                rest = rest.dropFirst(Redaction.vinLength)
            } else if Self.isHardwareAddress(rest) {
                self.counts["hardware address", default: 0] += 1
                result += rest.prefix(Self.addressLength).map { Self.isWordByte($0) ? UInt8(ascii: "X") : $0 }
                rest = rest.dropFirst(Self.addressLength)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func word(at text: ArraySlice<UInt8>) -> Word? {
        self.words[text.prefix(2).map(Self.lowercased)]?.first { word in
            guard text.prefix(word.bytes.count).map(Self.lowercased) == word.bytes else { return false }
            guard let last = word.bytes.last, let next = text.dropFirst(word.bytes.count).first else { return true }
            return !(Self.isWordByte(last) && Self.isWordByte(next))
        }
    }

    /// `AA:BB:CC:DD:EE:FF`, and with other separators as BlueZ has it in paths.
    private static let addressLength = 17

    private static func isHardwareAddress(_ text: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(text.prefix(Self.addressLength + 1))
        guard bytes.count >= Self.addressLength, ":-_".utf8.contains(bytes[2]) else { return false }
        if bytes.count > Self.addressLength, Self.isWordByte(bytes[Self.addressLength]) { return false }
        return bytes.prefix(Self.addressLength).enumerated().allSatisfy { index, byte in
            index % 3 == 2 ? byte == bytes[2] : Character(UnicodeScalar(byte)).isHexDigit
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
            true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}

extension PersonalWords {
    /// The transcript without VINs, serial numbers, and these words where we have written them.
    package mutating func redacted(_ transcript: Transcript) -> Transcript {
        let redacted = Redaction.redacted(transcript)
        var entries = redacted.entries
        for index in entries.indices {
            let event: TranscriptEntry.Event? =
                switch entries[index].event {
                case .opened(let address): .opened(self.redacted(address))
                case .lost(let reason): .lost(self.redacted(reason))
                case .note(let text): .note(self.redacted(text))
                case .starting, .asking, .performing, .sent, .received, .closed: nil
                }
            if let event { entries[index] = TranscriptEntry(event, at: entries[index].time) }
        }
        return Transcript(entries, origin: redacted.origin)
    }
}
