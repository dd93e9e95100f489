// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("The dialogue with an adapter")
struct DialogueTests {
    private static let command = AdapterCommand("010C", timeout: .seconds(2), service: 0x01)
    private static let sent = Dialogue.SubmitAction.send(Array("010C\r".utf8), timeout: .seconds(2))

    private static func submitted(_ command: AdapterCommand = command) -> Dialogue {
        var dialogue = Dialogue()
        _ = dialogue.submit(command)
        return dialogue
    }

    @Test("A command is sent with a carriage return, and the next is rejected until the prompt")
    func submit() {
        var dialogue = Dialogue()
        #expect(dialogue.submit(Self.command) == Self.sent)
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.resynchronize() == .reject)
        #expect(dialogue.bytesReceived(Array("7E8 04 41 0C 1A F8 \r".utf8)) == .wait)
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.bytesReceived(Array("\r>".utf8)) == .deliver(.reply(["7E8 04 41 0C 1A F8"])))
        #expect(dialogue.submit(Self.command) == Self.sent)
    }

    @Test(
        "A bare carriage return is never sent (quirk 8)",
        arguments: ["", " ", "\t ", "\0", "\r", "\r\r", "010C\r", "AT\rZ"]
    )
    func bareReturn(line: String) {
        var dialogue = Dialogue()
        #expect(dialogue.submit(AdapterCommand(line, timeout: .seconds(1))) == .reject)
        #expect(dialogue.submit(Self.command) == Self.sent)
    }

    @Test(
        "Line ends, spaces, NULs and an echo make no difference (quirks 2, 4, 5)",
        arguments: [
            "7E8 04 41 0C 1A F8 \r\r>", "7E8 04 41 0C 1A F8\r\n\r\n>", "\r\r\r7E8 04 41 0C 1A F8\r\r\r>",
            "7E8 04 41 0C 1A F8>",
            "010C\r7E8 04 41 0C 1A F8\r\r>", "01 0c\r\n7E8 04 41 0C 1A F8\r\r>", "\07E8 04 \041 0C\0 1A F8\r\0\r\0>",
            "  7E8   04 41 0C\t1A F8  \r>",
        ]
    )
    func framing(text: String) {
        var dialogue = Self.submitted()
        #expect(dialogue.bytesReceived(Array(text.utf8)) == .deliver(.reply(["7E8 04 41 0C 1A F8"])))
    }

    @Test("A byte that is not printable stays visible between digits")
    func unprintable() {
        var dialogue = Self.submitted()
        #expect(
            dialogue.bytesReceived([0x34, 0xFC, 0x31, 0x07, 0x0D, 0x3E]) == .deliver(.reply(["4\u{FFFD}1\u{FFFD}"]))
        )
    }

    @Test("Only a first line that equals the command is an echo")
    func echo() {
        var dialogue = Self.submitted()
        let reply = Array("010D\r010C\r41 0C 1A F8\r>".utf8)
        #expect(dialogue.bytesReceived(reply) == .deliver(.reply(["010D", "010C", "41 0C 1A F8"])))
    }

    @Test("After an empty prompt, a late reply is awaited and delivered (quirk 1)")
    func doubt() {
        var dialogue = Self.submitted()
        #expect(dialogue.bytesReceived(Array("\r>".utf8)) == .extend(.milliseconds(500)))
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.bytesReceived([0x0D, 0x00, 0x0A, 0x20]) == .wait)
        #expect(dialogue.bytesReceived(Array("41".utf8)) == .extend(.seconds(2)))
        #expect(dialogue.bytesReceived(Array(" 0C 1A F8\r\r>".utf8)) == .deliver(.reply(["41 0C 1A F8"])))
    }

    @Test("An empty prompt without a late reply is an empty reply")
    func emptyReply() {
        var dialogue = Self.submitted()
        _ = dialogue.bytesReceived(Array("010C\r\r>".utf8))
        #expect(dialogue.deadlinePassed() == .deliver(.reply([])))
        #expect(dialogue.submit(Self.command) == Self.sent)
    }

    @Test("After a left-over prompt, the reply to a reset is awaited")
    func doubtedReset() {
        var bench = Bench(["ATZ": [Answer([(.milliseconds(5), ">"), (.milliseconds(900), "\r\rELM327 v1.5\r\r>")])]])
        let outcome = bench.perform(AdapterCommand("ATZ", timeout: AdapterCommand.resetTimeout))
        #expect(outcome == .reply(["ELM327 v1.5"]))
        #expect(bench.sent == ["ATZ"])
    }

    @Test("A timeout sends one space, and silence is reported if no prompt follows")
    func silence() {
        var dialogue = Self.submitted()
        #expect(dialogue.deadlinePassed() == .send([0x20], timeout: .seconds(1)))
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.deadlinePassed() == .wait(.milliseconds(200)))
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.deadlinePassed() == .deliver(.silence(prompted: false)))
        #expect(dialogue.submit(Self.command) == Self.sent)
    }

    @Test("A prompt after the interrupt shows a live adapter, and later bytes are dropped")
    func interrupted() {
        var dialogue = Self.submitted()
        _ = dialogue.deadlinePassed()
        #expect(dialogue.bytesReceived(Array("7E8 04 41".utf8)) == .wait)
        #expect(dialogue.bytesReceived(Array("STOPPED\r\r>".utf8)) == .extend(.milliseconds(200)))
        #expect(dialogue.bytesReceived(Array("late\r\r>".utf8)) == .extend(.milliseconds(200)))
        #expect(dialogue.deadlinePassed() == .deliver(.silence(prompted: true)))
    }

    @Test("A late prompt after the interrupt counts too")
    func latePrompt() {
        var dialogue = Self.submitted()
        _ = dialogue.deadlinePassed()
        _ = dialogue.deadlinePassed()
        #expect(dialogue.bytesReceived(Array("STOPPED\r\r>".utf8)) == .extend(.milliseconds(200)))
        #expect(dialogue.deadlinePassed() == .deliver(.silence(prompted: true)))
    }

    @Test("Resynchronizing drops all bytes until the link is quiet")
    func resynchronize() {
        var dialogue = Dialogue()
        #expect(dialogue.resynchronize() == .wait(.milliseconds(200)))
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.bytesReceived(Array("41 0D 20\r\r>".utf8)) == .extend(.milliseconds(200)))
        #expect(dialogue.deadlinePassed() == Self.identityQuery)
        #expect(dialogue.bytesReceived(Array("ELM327 v1.5\r\r>".utf8)) == .deliver(.reply([])))
        #expect(dialogue.deadlinePassed() == .none)
        #expect(!dialogue.isInDoubt)
        #expect(dialogue.submit(Self.command) == Self.sent)
    }

    private static let identityQuery = Dialogue.TimeoutAction.send(Array("ATI\r".utf8), timeout: AdapterCommand.timeout)

    @Test(
        "All replies before the adapter's name belong to earlier commands",
        arguments: ["41 0D 20", "NO DATA", "OK", "STOPPED", "SEARCHING...", "?", "A6", "ATI"]
    )
    func proof(late: String) {
        var dialogue = Dialogue()
        _ = dialogue.resynchronize()
        _ = dialogue.deadlinePassed()
        #expect(dialogue.bytesReceived(Array("\(late)\r\r>".utf8)) == .wait)
        #expect(dialogue.bytesReceived(Array("\r\r>OBDII v1".utf8)) == .wait)
        #expect(dialogue.bytesReceived(Array(".5\r\r>".utf8)) == .deliver(.reply([])))
        #expect(!dialogue.isInDoubt)
    }

    @Test("A prompt without a name shows a live adapter; no prompt shows a silent adapter")
    func noProof() {
        var nameless = Dialogue()
        _ = nameless.resynchronize()
        _ = nameless.deadlinePassed()
        _ = nameless.bytesReceived(Array("?\r\r>".utf8))
        #expect(nameless.deadlinePassed() == .deliver(.reply([])))
        #expect(!nameless.isInDoubt)
        var silent = Dialogue()
        _ = silent.resynchronize()
        _ = silent.deadlinePassed()
        #expect(silent.deadlinePassed() == .deliver(.silence(prompted: false)))
        #expect(silent.isInDoubt)
    }

    @Test("A prompt inside a line is in doubt if the adapter ends replies with an empty line")
    func earlyEnd() {
        var dialogue = Dialogue()
        for _ in 0..<Dialogue.properEndThreshold {
            _ = dialogue.submit(Self.command)
            _ = dialogue.bytesReceived(Array("7E8 04 41 0C 1A F8\r\n\r\n >".utf8))
            #expect(!dialogue.isInDoubt)
        }
        _ = dialogue.submit(Self.command)
        _ = dialogue.bytesReceived(Array("7E8 04 41 0C 1A F8\r>".utf8))
        #expect(dialogue.isInDoubt)
        var other = Dialogue()
        for _ in 0..<10 {
            _ = other.submit(Self.command)
            _ = other.bytesReceived(Array("7E8 04 41 0C 1A F8\r>".utf8))
            #expect(!other.isInDoubt)
        }
    }

    @Test("Bytes without a command, or behind a prompt, put the next reply in doubt")
    func inDoubt() {
        var idle = Dialogue()
        _ = idle.bytesReceived(Array("\r\n ".utf8))
        #expect(!idle.isInDoubt)
        _ = idle.bytesReceived(Array("41 0D 20\r\r>".utf8))
        #expect(idle.isInDoubt)
        var behind = Dialogue()
        _ = behind.submit(Self.command)
        _ = behind.bytesReceived(Array("7E8 04 41 0C 1A F8\r>7E9 04".utf8))
        #expect(behind.isInDoubt)
        var blank = Dialogue()
        _ = blank.submit(Self.command)
        _ = blank.bytesReceived(Array("\r\r>".utf8))
        _ = blank.deadlinePassed()
        #expect(blank.isInDoubt)
    }

    @Test("Endless noise closes the link; a long late reply, byte by byte, does not")
    func endlessNoise() {
        var dialogue = Dialogue()
        _ = dialogue.resynchronize()
        for _ in 0..<Dialogue.noiseLimit { #expect(dialogue.bytesReceived([0x55]) == .extend(.milliseconds(200))) }
        #expect(dialogue.bytesReceived([0x55]) == .close)
        #expect(dialogue.submit(Self.command) == .reject)
        #expect(dialogue.bytesReceived([0x3E]) == .wait)
        #expect(dialogue.deadlinePassed() == .none)
    }

    @Test("Bytes without a command are ignored")
    func unasked() {
        var dialogue = Dialogue()
        #expect(dialogue.bytesReceived(Array("ELM327 v1.5\r\r>".utf8)) == .wait)
        #expect(dialogue.submit(Self.command) == Self.sent)
        #expect(dialogue.bytesReceived(Array("41 0C 1A F8\r>".utf8)) == .deliver(.reply(["41 0C 1A F8"])))
    }

    @Test("Ten megabytes without a prompt are dropped, and the next command works")
    func flood() throws {
        var dialogue = Self.submitted()
        let block = [UInt8](repeating: UInt8(ascii: "4"), count: 100_000)
        for _ in 0..<100 { #expect(dialogue.bytesReceived(block) == .wait) }
        let buffer = try #require(Mirror(reflecting: dialogue).descendant("buffer"))
        let bytes = try #require(Mirror(reflecting: buffer).descendant("bytes") as? [UInt8])
        #expect(bytes.count == ReplyBuffer.limit)
        #expect(dialogue.bytesReceived([0x0D, 0x3E]) == .deliver(.overflow))
        #expect(dialogue.submit(Self.command) == Self.sent)
        #expect(dialogue.bytesReceived(Array("OK\r>".utf8)) == .deliver(.reply(["OK"])))
    }
}

@Suite("Timeout extensions")
struct ExtensionTests {
    private static let command = AdapterCommand("0100", timeout: .seconds(12), service: 0x01)

    @Test(
        "A search extends the timeout, and so does each progress sign (quirk 20)",
        arguments: ["SEARCHING...", "BUS INIT: ", "BUS INIT: ...", "BUSINIT..."]
    )
    func searching(text: String) {
        var dialogue = Dialogue()
        _ = dialogue.submit(Self.command)
        #expect(dialogue.bytesReceived(Array(text.utf8)) == .extend(.seconds(20)))
        #expect(dialogue.bytesReceived(Array(".".utf8)) == .extend(.seconds(20)))
        #expect(dialogue.bytesReceived(Array("\r7E8 06 41 00".utf8)) == .wait)
    }

    @Test("A search with dots over 25 seconds is awaited")
    func trickle() {
        let dots = (1...25).map { (after: Duration.seconds(1), text: $0 == 1 ? "SEARCHING." : ".") }
        let answer = Answer(dots + [(.seconds(15), "\r7E8 06 41 00 BE 3E B8 11\r\r>")])
        var bench = Bench(["0100": [answer]])
        let outcome = bench.perform(Self.command)
        #expect(outcome == .reply(["SEARCHING" + String(repeating: ".", count: 25), "7E8 06 41 00 BE 3E B8 11"]))
        #expect(bench.sent == ["0100"])
    }

    @Test("Each response pending extends the timeout (quirk 41)")
    func pending() {
        var dialogue = Dialogue()
        _ = dialogue.submit(AdapterCommand("0902", timeout: .seconds(2), service: 0x09))
        #expect(dialogue.bytesReceived(Array("7E8 03 7F 09 7".utf8)) == .wait)
        #expect(dialogue.bytesReceived(Array("8\r".utf8)) == .extend(.seconds(6)))
        #expect(dialogue.bytesReceived(Array("7E8 10 14".utf8)) == .wait)
        #expect(dialogue.bytesReceived(Array("7E9037F0978\r".utf8)) == .extend(.seconds(6)))
    }

    @Test("Another service's response pending extends nothing, and a long timeout is not cut short")
    func otherPending() {
        var dialogue = Dialogue()
        _ = dialogue.submit(Self.command)
        #expect(dialogue.bytesReceived(Array("7E8037F0978\r".utf8)) == .wait)
        #expect(dialogue.bytesReceived(Array("7E8037F0178\r".utf8)) == .extend(.seconds(12)))
    }

    @Test("Endless searching or endless response pending ends at the command limit")
    func endless() {
        for sign in ["SEARCHING...\r", ".", "7E8 03 7F 01 78\r"] {
            var dialogue = Dialogue()
            _ = dialogue.submit(Self.command)
            _ = dialogue.bytesReceived(Array("SEARCHING".utf8))
            var deadline = Duration.seconds(12)
            for second in 0..<1000 where .seconds(second) < deadline {
                let action = dialogue.bytesReceived(Array(sign.utf8), after: .seconds(second))
                if case .extend(let more) = action { deadline = .seconds(second) + more }
            }
            #expect(deadline == Dialogue.commandLimit)
        }
    }
}
