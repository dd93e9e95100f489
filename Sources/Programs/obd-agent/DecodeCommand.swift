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
            A reply is hexadecimal, with or without blanks. The header and the length of a CAN frame may precede it. \
            Several replies are one argument each. Arguments of one byte each are together one reply. A reply to PID 4F or \
            50 sets the scale of the replies after it. A message of J1939 is its identifier and its data; DM24 sets the \
            layout of the freeze frames after it (DM25).

            Examples:
              obd-agent decode P0301 C0031-13 SPN110-FMI0
              obd-agent decode 410C1AF8
              obd-agent decode 41 0C 1A F8 0D 32
              obd-agent decode 7E8 04 41 0C 1A F8
              obd-agent decode 7E804410C1AF8 18DAF110037F0112
              obd-agent decode --json 41058B 4301 0301
              obd-agent decode 7F0122
              obd-agent decode 18FECE01 00 00 14 37 E0 02 A0 02
            """
    )

    @Argument(help: ArgumentHelp("Trouble codes, or replies.", valueName: "code|hex"))
    var words: [String]

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    @Flag(name: .long, help: "The reply comes from a bus older than CAN, whose list of codes has no count.")
    var legacy = false

    func run() throws {
        let inputs = ReplyWords.divide(self.words)
        guard !inputs.isEmpty else {
            throw CommandFailure(
                .usage,
                "the arguments are empty",
                next: "a code such as P0301, or a reply such as 410C1AF8."
            )
        }
        var results: [Explanation] = []
        var context = ReplyContext()
        var failures: [CommandFailure] = []
        // An argument that cannot be read does not hide the meaning of the others.
        for words in inputs {
            do throws(CommandFailure) {
                results += try self.meaning(of: words, &context)
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
        of words: ReplyWords,
        _ context: inout ReplyContext
    ) throws(CommandFailure) -> [Explanation] {
        if let code = words.code { return [RawReplyText.code(code)] }
        let bytes = try words.bytes
        do {
            return try RawReplyText.explain(bytes, layout: self.legacy ? .legacy : .can, context: &context)
        } catch {
            throw CommandFailure(.usage, "\(Self.text(bytes)): \(error.text)", next: error.next)
        }
    }

    private static func lines(of failure: CommandFailure) -> [String] {
        failure.description.split(separator: "\n").map { String($0) }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }
}
