// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Configuration
import Testing

@testable import obd_agent

@Suite("The questions of setup")
struct SetupDialogueTests {
    private typealias Step = SetupDialogue.Step

    /// Answers questions in their order; returns the last step.
    private static func answering(_ texts: [String], _ facts: SetupFacts, given: SetupAnswers = .init()) -> Step {
        var dialogue = SetupDialogue(facts, given: given)
        var step = dialogue.begin()
        for text in texts { step = dialogue.answered(text) }
        return step
    }

    private static func number(_ step: Step) -> Int? {
        if case .ask(let question) = step { question.number } else { nil }
    }

    private static func lines(_ step: Step) -> String {
        if case .ask(let question) = step { question.lines.joined(separator: "\n") } else { "" }
    }

    private static func facts(_ text: String? = nil, mosquitto: MosquittoState = .free) throws -> SetupFacts {
        var facts = SetupFacts()
        facts.mosquitto = mosquitto
        guard let text else { return facts }
        (facts.base, facts.isConfigured) = (text, true)
        facts.present = try Configuration(toml: Array(text.utf8), file: "agent.toml")
        return facts
    }

    @Test("Five answers are all")
    func answered() throws {
        let step = Self.answering(
            ["tcp:192.168.0.10:35000", " mqtt://homeassistant.local:1883 ", "obd", "pass word", "van-12"],
            try Self.facts()
        )
        var expected = SetupAnswers(adapter: "tcp:192.168.0.10:35000", name: "van-12")
        expected.broker = .url("mqtt://homeassistant.local:1883")
        expected.user = .named("obd")
        expected.password = "pass word"
        #expect(step == .finished(expected))
    }

    @Test("Without a user no password is asked for, and an empty name is the VIN")
    func anonymous() throws {
        let facts = try Self.facts()
        #expect(Self.number(Self.answering(["ble", "mqtts://broker.example", ""], facts)) == 5)
        var expected = SetupAnswers(adapter: "ble", broker: .url("mqtts://broker.example"))
        expected.user = .none
        #expect(Self.answering(["ble", "mqtts://broker.example", "", ""], facts) == .finished(expected))
    }

    @Test("The password is not shown")
    func hidden() throws {
        let step = Self.answering(["ble", "mqtts://broker.example", "obd"], try Self.facts())
        guard case .ask(let question) = step else { throw CancellationError() }
        #expect(question.isHidden && question.number == 4)
    }

    @Test("A local broker needs neither a user nor a password from the user")
    func local() throws {
        let step = Self.answering(["ble", "local", "", "", ""], try Self.facts())
        var expected = SetupAnswers(adapter: "ble", broker: .local)
        expected.user = .named("obd-agent")
        #expect(step == .finished(expected))
    }

    @Test(
        "A Mosquitto that is absent, or that somebody has configured, is not offered",
        arguments: [MosquittoState.absent, .configured(file: "a.conf", line: 3, setting: "listener")]
    )
    func noLocal(state: MosquittoState) throws {
        let step = Self.answering(["ble", "local"], try Self.facts(mosquitto: state))
        #expect(Self.number(step) == 2)
        #expect(Self.lines(step).contains("Try: "))
    }

    @Test(
        "A wrong answer is asked for again, with the reason",
        arguments: [
            (["tcp:192.168.0.10"], 1, "has no port"), (["hci0"], 1, "not an adapter address"), (["2"], 1, "address"),
            (["ble", ""], 2, "needed"), (["ble", "http://x"], 2, "broker URL"),
            (["ble", "mqtt://broker.example"], 2, "unencrypted"), (["ble", "mqtts://u:p@b.example"], 2, "credentials"),
            (["ble", "local", "a b"], 3, "no space"), (["ble", "local", "a:b"], 3, "colon"),
            (["ble", "local", "", "x "], 4, "space"), (["ble", "local", "", "", "a/b"], 5, "topic level"),
        ]
    )
    func wrong(answers: [String], number: Int, reason: String) throws {
        let step = Self.answering(answers, try Self.facts())
        #expect(Self.number(step) == number)
        #expect(Self.lines(step).contains(reason), "\(step)")
        #expect(!Self.lines(step).contains("u:p"))
    }

    @Test("The first answer may be a scan, of which a number, Enter or an address chooses")
    func scan() throws {
        let found = [("ble:AA:BB:CC:DD:EE:01", "near"), ("ble:AA:BB:CC:DD:EE:02", "far")]
            .map { SetupDialogue.FoundAdapter(address: $0.0, description: $0.1) }
        for (answer, address) in [("", found[0].address), ("2", found[1].address), ("serial:/dev/ttyUSB0", nil)] {
            var dialogue = SetupDialogue(try Self.facts(), given: SetupAnswers(broker: .local, name: "van"))
            #expect(Self.number(dialogue.begin()) == 1)
            #expect(dialogue.answered("") == .scan)
            #expect(Self.lines(dialogue.scanned(.init(adapters: found))).contains("2  far"))
            #expect(dialogue.answered("3") != .scan)
            #expect(dialogue.answered("scan") == .scan)
            _ = dialogue.scanned(.init(adapters: found))
            _ = dialogue.answered(answer)
            _ = dialogue.answered("")
            guard case .finished(let answers) = dialogue.answered("") else { throw CancellationError() }
            #expect(answers.adapter == address ?? answer)
        }
    }

    @Test("A scan that finds nothing says why, and asks again")
    func emptyScan() throws {
        var dialogue = SetupDialogue(try Self.facts(), given: SetupAnswers())
        _ = dialogue.begin()
        _ = dialogue.answered("")
        let step = dialogue.scanned(.init(adapters: [], problem: "no Bluetooth. Try: a controller"))
        #expect(Self.number(step) == 1 && Self.lines(step).contains("no Bluetooth"))
        #expect(dialogue.answered("") == .scan)
    }

    @Test("Enter keeps what the present configuration has")
    func kept() throws {
        let text = """
            [vehicle]
            name = "van"
            [adapter]
            address = "serial:/dev/ttyUSB0"
            [mqtt]
            url = ["mqtts://first.example", "mqtts://second.example"]
            username = "obd"
            """
        let facts = try Self.facts(text)
        #expect(Self.answering(["", "", "", ""], facts) == .finished(SetupAnswers()))
        #expect(Self.lines(Self.answering([], facts)).contains("serial:/dev/ttyUSB0, as now"))
        #expect(Self.lines(Self.answering([""], facts)).contains("mqtts://second.example:8883, as now"))
        #expect(Self.answering(["scan"], facts) == .scan)
        // Another broker knows other users.
        #expect(Self.lines(Self.answering(["", "mqtts://third.example"], facts)).contains("Enter: none"))
    }

    @Test("What the command line has is not asked for")
    func given() throws {
        let facts = try Self.facts()
        var given = SetupAnswers(adapter: "ble", broker: .url("mqtts://b.example"), name: "van")
        given.user = .none
        #expect(Self.answering([], facts, given: given) == .finished(given))
        given.user = .named("obd")
        #expect(Self.number(Self.answering([], facts, given: given)) == 4)
    }

    @Test("Without anybody to ask, the missing options are named")
    func missing() throws {
        let facts = try Self.facts()
        let all = ["--adapter ADDRESS", "--broker URL or --local-broker"]
        #expect(SetupDialogue(facts, given: SetupAnswers()).missingOptions == all)
        var given = SetupAnswers(adapter: "ble", broker: .url("mqtts://b.example"))
        #expect(SetupDialogue(facts, given: given).missingOptions.isEmpty)
        given.user = .named("obd")
        #expect(SetupDialogue(facts, given: given).missingOptions == ["--password-file FILE"])
        given.broker = .local
        #expect(SetupDialogue(facts, given: given).missingOptions.isEmpty)
        let present = try Self.facts("[mqtt]\nurl = \"mqtts://b.example\"\n")
        #expect(SetupDialogue(present, given: SetupAnswers()).missingOptions.isEmpty)
    }

    @Test("A hidden line can be corrected, ended and cancelled")
    func hiddenLine() {
        func type(_ text: String) -> HiddenLine.Action {
            var line = HiddenLine()
            var action = HiddenLine.Action.more
            for byte in text.utf8 where action == .more { action = line.received(byte) }
            return action
        }
        #expect(type("secret\n") == .finished("secret"))
        #expect(type("secü\u{7F}r\r") == .finished("secr"))
        #expect(type("\u{7F}\u{8}wrong\u{15}right\n") == .finished("right"))
        #expect(type("secret\u{3}") == .interrupted && type("\u{4}") == .cancelled)
        #expect(type("x\u{1}\u{4}") == .finished("x"))
        #expect(type("secret") == .more && type("\n") == .finished(""))
        #expect(type(String(repeating: "x", count: 9000) + "\n") == .finished(String(repeating: "x", count: 4096)))
    }
}
