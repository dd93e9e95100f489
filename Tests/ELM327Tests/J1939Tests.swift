// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("J1939 through an adapter")
struct J1939Tests {
    private static func reply(_ lines: [String], to group: UInt32 = 0xFECA) -> ReplyInterpreter {
        ReplyInterpreter(lines, to: BusRequest(group: group), on: .j1939)
    }

    // MARK: - Frames

    @Test(
        "A line reads the same in both header formats, with and without spaces",
        arguments: [
            "6 0FECA 00 00 FF 00 00 00 00 FF FF", "60FECA0000FF00000000FFFF", "18 FE CA 00 00 FF 00 00 00 00 FF FF",
            "18FECA0000FF00000000FFFF",
        ]
    )
    func headers(line: String) throws {
        let frame = try #require(GroupFrame(compact(line)))
        #expect(frame.group == 0xFECA)
        #expect(frame.destination == 0xFF)
        #expect(frame.source == 0)
        #expect(frame.data == [0x00, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF])
    }

    @Test("Below F0, the lower byte of the group is the destination")
    func destination() throws {
        let frame = try #require(GroupFrame("1CECF90B10090002FFCAFE00"))
        #expect((frame.group, frame.destination, frame.source) == (0xEC00, 0xF9, 0x0B))
        #expect(frame.isForTester)
        #expect(GroupFrame("1CEC000B10090002FFCAFE00")?.isForTester == false)
    }

    @Test(
        "Malformed lines are no frames",
        arguments: [
            "", "18FECA00", "18FECA0", "18FECA000", "18FECA00000102030405060708", "FFFFFFFFFFFFFFFF", "G8FECA0000",
        ]
    )
    func noFrame(digits: String) {
        #expect(GroupFrame(digits) == nil)
    }

    // MARK: - Messages

    @Test("Each ECU has its own message behind the group number, and other groups are ignored")
    func messages() {
        let reply = Self.reply([
            "18FECA0000FF00000000FFFF", "18FEF100FFFFFFFFFFFFFFFF", "18FECA0304FFB804030AFFFF",
        ])
        #expect(
            reply.replies == [
                .j1939(0x00): .positive([[0x00, 0xFE, 0xCA, 0x00, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF]]),
                .j1939(0x03): .positive([[0x00, 0xFE, 0xCA, 0x04, 0xFF, 0xB8, 0x04, 0x03, 0x0A, 0xFF, 0xFF]]),
            ]
        )
        #expect(reply.dropped == 0)
    }

    @Test("The newest of several broadcasts counts")
    func newest() {
        let reply = Self.reply(["0CF00400FFFFFF6813FFFFFF", "0CF00400FFFFFF7013FFFFFF"], to: 0xF004)
        #expect(
            reply.replies == [
                .j1939(0): .positive([[0x00, 0xF0, 0x04, 0xFF, 0xFF, 0xFF, 0x70, 0x13, 0xFF, 0xFF, 0xFF]])
            ]
        )
    }

    /// Two lamps and four codes: 18 bytes in three frames.
    private static let broadcast = [
        "1CECFF0020120003FFCAFE00", "1CEBFF000104FFB804030A6E", "1CEBFF00020010026400" + "0101",
        "1CEBFF000305BE0000FFFFFF",
    ]
    private static let message: [UInt8] = [
        0x00, 0xFE, 0xCA, 0x04, 0xFF, 0xB8, 0x04, 0x03, 0x0A, 0x6E, 0x00, 0x10, 0x02, 0x64, 0x00, 0x01, 0x01, 0x05,
        0xBE, 0x00,
        0x00,
    ]

    @Test("A long message is assembled, as a broadcast or addressed to the tester")
    func transport() {
        let whole: [ECUAddress: ECUReply] = [.j1939(0): .positive([Self.message])]
        let lines = Array(Self.broadcast)
        #expect(Self.reply(lines).replies == whole)
        #expect(Self.reply(lines).dropped == 0)
        let addressed = lines.map { $0.replacing("EBFF", with: "EBF9").replacing("ECFF0020", with: "ECF90010") }
        #expect(Self.reply(addressed).replies == whole)
        // Between frames of other groups, and with a separate priority digit.
        #expect(
            Self.reply(
                ["18FEF100FFFFFFFFFFFFFFFF"]
                    + lines.map { "7" + $0.dropFirst(1).replacing("CE", with: "0E", maxReplacements: 1) }
            ).replies == whole
        )
        // With every line printed twice.
        #expect(Self.reply(lines.flatMap { [$0, $0] }).replies == whole)
    }

    @Test("A long message with a missing frame is dropped and counted", arguments: 0..<4)
    func lostFrame(index: Int) {
        var lines = Array(Self.broadcast)
        lines.remove(at: index)
        let reply = Self.reply(lines)
        #expect(reply.replies.isEmpty)
        #expect(reply.dropped > 0)
    }

    @Test("An unfinished second broadcast does not affect the first")
    func secondBroadcast() {
        let lines = Self.broadcast + Self.broadcast.dropLast()
        #expect(Self.reply(lines).replies == [.j1939(0): .positive([Self.message])])
        #expect(Self.reply(lines).dropped == 0)
    }

    @Test("Frames out of order, or of a wrong size or count, are dropped")
    func damaged() {
        let lines = Array(Self.broadcast)
        #expect(Self.reply([lines[0], lines[2], lines[1], lines[3]]).replies.isEmpty)
        #expect(Self.reply([lines[0].replacing("20120003", with: "20120004")] + lines.dropFirst()).replies.isEmpty)
        #expect(Self.reply([lines[0].replacing("20120003", with: "20070001")] + lines.dropFirst()).replies.isEmpty)
        #expect(Self.reply([lines[0], "1CEBFF00FFFFFFFFFFFFFFFF"] + lines.dropFirst()).replies.isEmpty)
        #expect(Self.reply([lines[0], lines[1], String(lines[2].dropLast(2)), lines[3]]).replies.isEmpty)
        #expect(Self.reply([lines[0], lines[1], lines[2] + " <DATA ERROR", lines[3]]).replies.isEmpty)
    }

    @Test("Long messages of two ECUs and of another group do not mix")
    func interleaved() {
        let first = Array(Self.broadcast)
        let second = first.map { line in
            line.replacing("1CECFF00", with: "1CECFF03").replacing("1CEBFF00", with: "1CEBFF03")
        }
        let foreign = first.map { line in
            line.replacing("1CECFF00", with: "1CECFF21").replacing("1CEBFF00", with: "1CEBFF21").replacing(
                "CAFE00",
                with: "EBFE00"
            )
        }
        let lines = zip(zip(first, second), foreign).flatMap { [$0.0.0, $0.0.1, $0.1] }
        let reply = Self.reply(lines)
        #expect(Set(reply.replies.keys) == [.j1939(0), .j1939(3)])
        #expect(reply.dropped == 0)
    }

    @Test("Frames for another ECU are ignored")
    func otherDestination() {
        let lines = Self.broadcast.map { $0.replacing("EBFF", with: "EB21").replacing("ECFF0020", with: "EC210010") }
        #expect(Self.reply(lines).replies.isEmpty)
        #expect(Self.reply(lines).dropped == 0)
    }

    @Test("An abort ends a long message")
    func abort() {
        var lines = Array(Self.broadcast)
        lines.insert("1CECFF00FF01FFFFFFCAFE00", at: 2)
        #expect(Self.reply(lines).replies.isEmpty)
        #expect(Self.reply(lines).dropped > 0)
    }

    @Test(
        "A refusal of this group is a negative answer",
        arguments: [("01FFFFFFFFCBFE00", 0x11), ("02FFFFFFFFCBFE00", 0x33), ("03FFFFFFFFCBFE00", 0x21)]
            as [(String, UInt8)]
    )
    func refusal(data: String, code: UInt8) {
        #expect(Self.reply(["18E8FF00" + data], to: 0xFECB).replies == [.j1939(0): .negative(code)])
        #expect(Self.reply(["18E8FF00" + data], to: 0xFECA).replies.isEmpty)
        // A value that arrives despite the refusal counts.
        let both = Self.reply(["18E8FF00" + data, "18FECB0000FF00000000FFFF"], to: 0xFECB)
        #expect(both.replies == [.j1939(0): .positive([[0x00, 0xFE, 0xCB, 0x00, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF]])])
    }

    // MARK: - Asking

    private static let speed: Answer = "0CF00400FFFFFF6813FFFFFF\r\r>"
    private static let speedReply: [ECUAddress: ECUReply] = [
        .j1939(0): .positive([[0x00, 0xF0, 0x04, 0xFF, 0xFF, 0xFF, 0x68, 0x13, 0xFF, 0xFF, 0xFF]])
    ]

    @Test("A broadcast that arrives needs no request")
    func listen() {
        var bench = Bench(["ATMPF0041": [Self.speed]])
        let result = bench.ask(BusRequest(group: 0xF004, listening: .milliseconds(500)), on: .j1939)
        #expect(result == BusResult(outcome: .answered(Self.speedReply), dropped: 0))
        #expect(bench.sent == ["ATMPF0041"])
    }

    @Test(
        "A missing broadcast, or a failed listen, leads to a request",
        arguments: ["?\r\r>", "NO DATA\r\r>", "garbage\r\r>", nil]
    )
    func request(answer: String?) {
        var bench = Bench([
            "ATMPF0041": [answer.map { Answer(stringLiteral: $0) } ?? .silence], "00F004": [Self.speed],
            " ": ["STOPPED\r\r>"],
        ])
        let result = bench.ask(BusRequest(group: 0xF004, listening: .milliseconds(500)), on: .j1939)
        #expect(result?.outcome == .answered(Self.speedReply))
        #expect(bench.sent.last == "00F004")
    }

    @Test("Long messages are collected from every ECU until the adapter is interrupted")
    func collects() {
        let second = "18FECA0304FFB804030AFFFF"
        let lines = Self.broadcast + [second]
        var bench = Bench([
            "ATMPFECA": [Answer(stringLiteral: lines.joined(separator: "\r") + "\r")], " ": ["STOPPED\r\r>"],
        ])
        let request = BusRequest(group: 0xFECA, listening: .milliseconds(1500), isSlow: true)
        let expected: [ECUAddress: ECUReply] = [
            .j1939(0): .positive([Self.message]),
            .j1939(3): .positive([[0x00, 0xFE, 0xCA, 0x04, 0xFF, 0xB8, 0x04, 0x03, 0x0A, 0xFF, 0xFF]]),
        ]
        #expect(bench.ask(request, on: .j1939) == BusResult(outcome: .answered(expected), dropped: 0))
        #expect(bench.sent == ["ATMPFECA", " "])
        #expect(bench.now < .seconds(2))
    }

    @Test("A long message without its end is requested")
    func unfinishedMessage() {
        var bench = Bench([
            "ATMPFECA": [Answer(stringLiteral: Self.broadcast.dropLast().joined(separator: "\r") + "\r")],
            " ": ["STOPPED\r\r>"], "00FECA": [Answer(stringLiteral: Self.broadcast.joined(separator: "\r") + "\r")],
        ])
        let request = BusRequest(group: 0xFECA, listening: .milliseconds(1500), isSlow: true)
        #expect(bench.ask(request, on: .j1939)?.outcome == .answered([.j1939(0): .positive([Self.message])]))
        #expect(bench.sent.filter { $0 != "ATI" } == ["ATMPFECA", " ", "ATSTFF", "00FECA", " ", "ATST32"])
    }

    @Test("No answer is no data, and an adapter that cannot be interrupted is silent")
    func noAnswer() {
        var quiet = Bench(["00FEEC": [.silence], " ": ["STOPPED\r\r>"]])
        #expect(quiet.ask(BusRequest(group: 0xFEEC), on: .j1939) == BusResult(outcome: .noData, dropped: 0))
        var plain = Bench(["00FEEC": ["NO DATA\r\r>"]])
        #expect(plain.ask(BusRequest(group: 0xFEEC), on: .j1939) == BusResult(outcome: .noData, dropped: 0))
        var dead = Bench(["00FEEC": [.silence], " ": [.silence]])
        #expect(dead.ask(BusRequest(group: 0xFEEC), on: .j1939)?.outcome == .adapterSilent)
    }

    @Test("A group of the second data page is listened to with six digits")
    func secondPage() {
        var bench = Bench([:], otherwise: "?\r\r>")
        _ = bench.ask(BusRequest(group: 0x1_F00A, listening: .seconds(1)), on: .j1939)
        #expect(bench.sent.first == "ATMP01F00A1")
        #expect(bench.sent.contains("01F00A"))
    }

    @Test("A long answer gets the adapter's longest wait, which is restored afterward")
    func slow() {
        var bench = Bench(["00FECA": [Answer(stringLiteral: Self.broadcast.joined(separator: "\r") + "\r\r>")]])
        let result = bench.ask(BusRequest(group: 0xFECA, isSlow: true), on: .j1939)
        #expect(result?.outcome == .answered([.j1939(0): .positive([Self.message])]))
        #expect(bench.sent == ["ATSTFF", "00FECA", "ATST32"])
    }

    @Test("A long answer with a lost frame is requested again")
    func lostAnswerFrame() {
        let lines = Array(Self.broadcast)
        var bench = Bench([
            "00FECA": [
                Answer(stringLiteral: lines.dropLast().joined(separator: "\r") + "\r\r>"),
                Answer(stringLiteral: lines.joined(separator: "\r") + "\r\r>"),
            ]
        ])
        let result = bench.ask(BusRequest(group: 0xFECA, isSlow: true), on: .j1939)
        #expect(result?.outcome == .answered([.j1939(0): .positive([Self.message])]))
        #expect((result?.dropped ?? 0) > 0)
    }

    @Test("Random frames cause no trap, and no message is longer than J1939 allows")
    func anyBytes() {
        var generator = SeededGenerator(seed: 39)
        for _ in 0..<2000 {
            var lines: [String] = []
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let heads = ["1CECFF00", "1CEBFF00", "18FECA00", "18E8FF00", "1CECFF0020", "1CEBFF0001", "", "6"]
                let head = heads.randomElement(using: &generator) ?? ""
                let count = Int.random(in: 0...9, using: &generator)
                lines.append(
                    head + (0..<count).map { _ in hexadecimal(UInt8.random(in: 0...255, using: &generator)) }.joined()
                )
            }
            for case .positive(let messages) in Self.reply(lines).replies.values {
                #expect(messages.allSatisfy { 4...1788 ~= $0.count })
            }
        }
    }
}
