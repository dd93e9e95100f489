// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Session

/// Words that identify the user or the vehicle, and the labels that replace them in a bug report.
package struct PersonalWords: Sendable {
    /// The origin of a word, which its label names.
    package enum Kind: String, CaseIterable, Sendable {
        case vehicle, user, file, host, topic, machine, signer, zone
    }

    /// The numbers of replacements, by the label of a word, and by `VIN` and `hardware address`.
    package private(set) var counts: [String: Int] = [:]

    private struct Word: Sendable {
        let bytes: [UInt8]
        let label: String
    }

    /// The words by their first two bytes, the longest first.
    private var words: [[UInt8]: [Word]] = [:]
    private var numbers: [Kind: Int] = [:]

    /// Words that are never replaced: they identify no user, and a text without them would be unreadable.
    private static let ordinary: Set<String> = [
        "obd-agent", "obd", "agent", "mqtt", "root", "localhost", "127.0.0.1", "::1", "raspberrypi", "homeassistant",
        "none", "null", "true", "false",
    ]

    package init() {}

    /// Adds a word, unless it has less than two bytes or is an ordinary one.
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

    /// Returns the text with labels instead of the words, and without VINs and hardware addresses.
    ///
    /// Upper and lower case are the same.
    package mutating func redacted(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            // Inside a word no replacement begins.
            if let last = result.last, Self.isWordByte(last), Self.isWordByte(byte) {
                result.append(byte)
                rest = rest.dropFirst()
            } else if let word = self.word(at: rest) {
                self.counts[word.label, default: 0] += 1
                result += Array(word.label.utf8)
                rest = rest.dropFirst(word.bytes.count)
            } else if Redaction.isVIN(rest.prefix { Self.isWordByte($0) }) {
                self.counts["VIN", default: 0] += 1
                result += rest.prefix(Redaction.vinLength).map(Redaction.masked)
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

    /// The length of a hardware address such as `AA:BB:CC:DD:EE:FF`.
    ///
    /// BlueZ uses other separators in its paths.
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
    /// Returns the transcript without VINs and serial numbers, and with labels for the words in the agent's own texts.
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
