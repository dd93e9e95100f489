// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Contract
import OBD2

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Tells what a raw reply means. Needs no vehicle.",
        discussion: """
            A reply is written in hexadecimal, with or without blanks, without the header that names the ECU.

            Examples:
              obd-agent decode 410C1AF8
              obd-agent decode 41 0C 1A F8 0D 32
              obd-agent decode --json 41058B 4301 0301
              obd-agent decode 7F0122
            """
    )

    @Argument(help: ArgumentHelp("The reply.", valueName: "hex"))
    var hex: [String]

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    @Flag(name: .long, help: "The reply comes from a bus that is older than CAN: codes are not counted.")
    var legacy = false

    func run() throws {
        let results = try self.replies().flatMap { bytes in
            do {
                return try RawReply.explain(bytes, layout: self.legacy ? .legacy : .can)
            } catch {
                throw CommandFailure(.usage, "\(Self.text(bytes)): \(error)")
            }
        }
        if self.json {
            try JSONOutput.print(results.map(\.json))
        } else {
            for line in results.flatMap(\.lines) { Console.print(line) }
        }
    }

    /// The replies.
    ///
    /// Bytes that stand apart, "41 0C 1A F8", are one.
    private func replies() throws -> [[UInt8]] {
        let words = self.hex.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        let isApart = words.count > 1 && words.allSatisfy { $0.count == 2 }
        return try (isApart ? [words.joined()[...]] : words.map { $0[...] }).map { word in
            guard let bytes = Self.bytes(word), !bytes.isEmpty else {
                throw CommandFailure(.usage, "\"\(word)\" is not an even number of hexadecimal digits")
            }
            return bytes
        }
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
