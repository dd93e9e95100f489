// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import OBD2

/// The words of one code or one reply on the command line.
struct ReplyWords {
    private let words: [Substring]

    /// The words as the user wrote them.
    var text: String { self.words.joined(separator: " ") }

    /// Divides the arguments into codes and replies.
    ///
    /// An argument with blanks in it is a reply by itself. Without any, bytes in arguments of their own are one reply,
    /// and so is a header with what follows it. No reply looks like a code.
    static func divide(_ arguments: [String]) -> [ReplyWords] {
        let parts = arguments.map { $0.split(whereSeparator: \.isWhitespace) }.filter { !$0.isEmpty }
        let groups = parts.contains { $0.count > 1 } ? parts : [parts.flatMap(\.self)]
        return groups.flatMap(Self.runs).flatMap { words in
            Self.isOneReply(words) ? [ReplyWords(words: words)] : words.map { ReplyWords(words: [$0]) }
        }
    }

    /// Divides words at the codes, each of which is a run of its own.
    private static func runs(_ words: [Substring]) -> [[Substring]] {
        var runs: [[Substring]] = []
        var isOpen = false
        for word in words {
            let isCode = TroubleCode(String(word)) != nil
            if isOpen, !isCode, let last = runs.indices.last { runs[last].append(word) } else { runs.append([word]) }
            isOpen = !isCode
        }
        return runs
    }

    private static func isOneReply(_ words: [Substring]) -> Bool {
        guard let first = words.first, words.count > 1 else { return false }
        let rest = words.dropFirst()
        // A single byte in a longer line is a part of it: 54 alone would mean that codes were cleared.
        if words.contains(where: { $0.count <= 2 && $0.allSatisfy(\.isHexDigit) }) { return true }
        return Self.isHeader(first) && rest.allSatisfy { $0.count.isMultiple(of: 2) && $0.allSatisfy(\.isHexDigit) }
    }

    /// Whether the digits are a whole CAN identifier, of 11 or 29 bits.
    private static func isHeader(_ text: Substring) -> Bool {
        guard text.allSatisfy(\.isHexDigit), let value = UInt32(text, radix: 16) else { return false }
        return text.count == 3 && value <= 0x7FF || text.count == 8 && value <= 0x1FFF_FFFF
    }

    /// The code; nil for a reply.
    var code: TroubleCode? { self.words.count == 1 ? self.words.first.flatMap { TroubleCode(String($0)) } : nil }

    /// The bytes of the reply, without the header and the length of a CAN frame (ISO 15765-2).
    ///
    /// The bytes of a J1939 message begin with its identifier.
    var bytes: [UInt8] {
        get throws(CommandFailure) {
            let digits = self.words.joined()
            if let header = self.words.first, Self.isHeader(header),
                self.words.dropFirst().contains(where: { $0 == header || $0.count == 3 && Self.isHeader($0) })
            {
                throw self.severalFrames("more than one frame")
            }
            guard let header = self.header(of: digits), let data = Self.bytes(digits.dropFirst(header.count)),
                let length = data.first
            else { return try self.plainBytes }
            if header.count == 8, let identifier = UInt32(header, radix: 16), PGN(identifier: identifier).title != nil {
                return try self.plainBytes
            }
            guard 1...7 ~= length, Int(length) + 1...8 ~= data.count else {
                throw self.severalFrames("the byte after the header \(header) is no length of the rest")
            }
            return Array(data[1...Int(length)])
        }
    }

    private func severalFrames(_ reason: String) -> CommandFailure {
        CommandFailure(
            .usage,
            "\(self.text): \(reason)",
            next: "of a reply in several frames the data of all as one argument, without headers, lengths and "
                + "frame numbers, such as 490201 and the rest."
        )
    }

    /// Returns the CAN identifier at the start of the digits; nil if a reply begins there.
    ///
    /// A reply has an even number of digits, and begins with a greater byte than an identifier of 29 bits.
    private func header(of digits: String) -> Substring? {
        let header = digits.prefix(digits.count.isMultiple(of: 2) ? 8 : 3)
        guard digits.count > header.count, Self.isHeader(header) else { return nil }
        // Without a blank behind it, the start of a mistyped reply looks like an identifier.
        let isDiagnostic = header.first == "6" || header.first == "7"
        return header.count == 3 && self.words.count == 1 && !isDiagnostic ? nil : header
    }

    private var plainBytes: [UInt8] {
        get throws(CommandFailure) {
            guard let bytes = Self.bytes(self.words.joined()), !bytes.isEmpty else {
                throw CommandFailure(
                    .usage,
                    "\"\(self.text)\" is neither a code nor an even number of hexadecimal digits",
                    next: "a code such as P0301, or a reply as one argument, such as 410C1AF8 or 7E804410C1AF8."
                )
            }
            return bytes
        }
    }

    private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
