// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import OBD2

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Prints the meaning of trouble codes or of a raw reply. Needs no vehicle.",
        discussion: """
            A reply is hexadecimal, with or without blanks. The header and the length of a CAN frame may precede it. A
            reply to PID 4F or 50 sets the scale of the replies after it.

            Examples:
              obd-agent decode P0301 C0031-13 SPN110-FMI0
              obd-agent decode 410C1AF8
              obd-agent decode 41 0C 1A F8 0D 32
              obd-agent decode 7E8 04 41 0C 1A F8
              obd-agent decode --json 41058B 4301 0301
              obd-agent decode 7F0122
            """
    )

    @Argument(help: ArgumentHelp("Trouble codes, or replies.", valueName: "code|hex"))
    var words: [String]

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    @Flag(name: .long, help: "The reply comes from a bus older than CAN, whose list of codes has no count.")
    var legacy = false

    func run() throws {
        var results: [Explanation] = []
        var maxima: [PID: [UInt8]] = [:]
        var failures: [CommandFailure] = []
        // An argument that cannot be read does not hide the meaning of the others.
        for word in try self.inputs() {
            do throws(CommandFailure) {
                results += try self.meaning(of: word, &maxima)
            } catch {
                failures.append(error)
            }
        }
        if self.json {
            if failures.isEmpty || !results.isEmpty { try JSONOutput.print(results.map(\.json)) }
        } else {
            for line in results.flatMap(\.lines) { Console.print(line) }
        }
        guard failures.isEmpty else {
            throw CommandFailure(.usage, lines: failures.flatMap { Self.lines(of: $0) })
        }
    }

    private func meaning(
        of word: Substring,
        _ maxima: inout [PID: [UInt8]]
    ) throws(CommandFailure) -> [Explanation] {
        if let code = TroubleCode(String(word)) { return [RawReplyText.code(code)] }
        guard let bytes = Self.bytes(word), !bytes.isEmpty else {
            throw CommandFailure(
                .usage,
                "\"\(word)\" is neither a code nor an even number of hexadecimal digits",
                next: "a code such as P0301, or a reply such as 410C1AF8."
            )
        }
        do {
            return try RawReplyText.explain(bytes, layout: self.legacy ? .legacy : .can, maxima: &maxima)
        } catch {
            throw CommandFailure(.usage, "\(Self.text(bytes)): \(error)")
        }
    }

    private static func lines(of failure: CommandFailure) -> [String] {
        failure.description.split(separator: "\n").map { String($0) }
    }

    /// Returns the codes and replies of the command line.
    ///
    /// Bytes with blanks between, "41 0C 1A F8", are one reply. No reply looks like a code.
    private func inputs() throws -> [Substring] {
        let words = self.words.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        if let frame = try Self.singleFrame(words) { return [frame[...]] }
        let isApart = words.count > 1 && words.allSatisfy { $0.count == 2 }
        return isApart ? [words.joined()[...]] : words
    }

    /// Returns the digits of the reply in a CAN frame of header, length and data (ISO 15765-2); nil for anything else.
    private static func singleFrame(_ words: [Substring]) throws -> String? {
        guard words.count > 2, let header = words.first, header.count == 3 || header.count == 8,
            header.allSatisfy(\.isHexDigit), words.dropFirst().allSatisfy({ $0.count == 2 }),
            let bytes = Self.bytes(words.dropFirst().joined()), let length = bytes.first
        else { return nil }
        guard 1...7 ~= length, bytes.count > Int(length) else {
            throw CommandFailure(
                .usage,
                """
                \(words.joined(separator: " ")): the byte after the header \(header) is no length of the rest. Try: of a \
                reply in several frames the data of all, without headers and numbers
                """
            )
        }
        return bytes[1...Int(length)].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
