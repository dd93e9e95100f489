// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import OBD2
import TestSupport
import Testing

@testable import obd_agent

@Suite("Raw replies on the command line")
struct ReplyTextTests {
    private static func bytes(_ text: String) -> [UInt8] {
        text.split(separator: " ").compactMap { UInt8($0, radix: 16) }
    }

    private static func lines(_ text: String, _ layout: MessageLayout = .can) throws -> [String] {
        var context = ReplyContext()
        return try RawReplyText.explain(Self.bytes(text), layout: layout, context: &context).flatMap(\.lines)
    }

    private static func problem(_ text: String, _ layout: MessageLayout = .can) throws -> ReplyProblem {
        try #require(#expect(throws: ReplyProblem.self) { try Self.lines(text, layout) })
    }

    @Test("A single byte is no reply of its own beside other words")
    func singleBytes() throws {
        func texts(_ line: String) -> [String] {
            ReplyWords.divide(line.split(separator: " ").map(String.init)).map(\.text)
        }
        for line in [
            "7E8 10 14 49 02 01 54 52", "7E8 10 14 49 7E8 21 54 52 44", "41 0C 1A F8", "410C1AF8 54", "54 410C1AF8",
            "7E8 04 41 0C 1A F8 x 54",
        ] {
            #expect(texts(line) == [line])
        }
        #expect(texts("P0301 41 0C 1A F8 P0420") == ["P0301", "41 0C 1A F8", "P0420"])
        #expect(texts("410C1AF8 4301 54") == ["410C1AF8 4301 54"])
        #expect(texts("410C1AF8 4301 0301") == ["410C1AF8", "4301", "0301"])
        // An argument of its own is a reply of its own.
        #expect(ReplyWords.divide(["41 0C 1A F8", "54"]).map(\.text) == ["41 0C 1A F8", "54"])
        #expect(texts("54") == ["54"])
    }

    @Test("Several frames in one line are refused, and none of their bytes is taken for a reply")
    func severalFrames() throws {
        for line in ["7E8 10 14 49 02 01 7E8 21 54 52", "7E8 04 41 0C 1A F8 7E9 03 7F 01 12"] {
            let words = ReplyWords.divide(line.split(separator: " ").map(String.init))
            let failure = #expect(throws: CommandFailure.self) { _ = try words.first?.bytes }
            #expect(words.count == 1 && failure?.description.contains("without headers, lengths") == true, "\(line)")
        }
        let frame = ReplyWords.divide(["18FECE01", "00001437", "E002A002"])
        #expect(try frame.first?.bytes.count == 12)
        #expect(throws: ReplyProblem.self) { try Self.lines("44 54") }
        for reply in ["44", "54"] { #expect(try Self.lines(reply) == ["codes cleared"]) }
    }

    @Test(
        "The length that a reply should have is named",
        arguments: [
            ("59 42 33 FF 04 04 03 01 1F 08", "expected 11 bytes, found 10"),
            ("59 02 FF 03 01 00", "expected 7 bytes, found 6"), ("62 F8 02 01", "expected 20 bytes, found 4"),
            ("46 00 C0", "expected 6 bytes, found 3"),
        ]
    )
    func lengths(reply: String, text: String) throws {
        let problem = try Self.problem(reply)
        #expect(problem.text == text && problem.next?.hasPrefix("the whole reply") == true)
    }

    @Test("A manufacturer's reply needs a custom parameter", arguments: ["62 01 01 00", "61 01 FF", "5A 90 31"])
    func manufacturer(reply: String) throws {
        let problem = try Self.problem(reply)
        #expect(problem.text.contains("whose meaning the manufacturer defines"))
        #expect(problem.next?.contains("docs/tasks/add-custom-parameter.md") == true)
    }

    @Test("Every other failure has a next step, too")
    func nextSteps() throws {
        #expect(try Self.problem("01 0C").text == "no reply begins with 01")
        #expect(try Self.problem("49 1F 00").text == "InfoType 1F is unknown")
        #expect(try Self.problem("43 03 01 33").next?.contains("--legacy") == true)
        for reply in ["01 0C", "49 1F 00", "43 03 01 33", "59 06 01", "41 0C 1A", "62 F8 1F 00"] {
            #expect(try Self.problem(reply).next != nil, "\(reply)")
        }
    }

    @Test("A list of supported tests is explained")
    func supportedTests() throws {
        #expect(try Self.lines("46 00 C0 00 00 01") == ["supported tests: 01 02 20"])
        #expect(try Self.lines("46 00 FF C0 00 00 00", .legacy) == ["supported tests: 01 02"])
    }

    @Test("All four lamps of a diagnostic message are told")
    func lamps() throws {
        let on = try Self.lines("18 FE CA 00 04 FF 6E 00 00 01 FF FF")
        let lamps = "lamps: malfunction indicator off, red stop off, amber warning on, protect off"
        #expect(on.dropFirst().first == "    " + lamps)
        #expect(on.contains { $0.contains("SPN110-FMI0") })
        let unknown = try Self.lines("18 FE CA 00 FF FF 00 00 00 00 FF FF")
        #expect(unknown.contains { $0.contains("malfunction indicator unknown") && $0.contains("protect unknown") })
    }
}
