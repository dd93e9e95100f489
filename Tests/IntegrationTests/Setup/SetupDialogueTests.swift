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

    @Test("Without a broker neither user nor password is asked for, now and the next time")
    func withoutBroker() throws {
        let expected = SetupAnswers(adapter: "ble", broker: .absent)
        #expect(Self.number(Self.answering(["ble", "none"], try Self.facts())) == 5)
        #expect(Self.answering(["ble", "None", ""], try Self.facts()) == .finished(expected))
        let present = try Self.facts("[adapter]\naddress = \"ble\"\n")
        #expect(Self.lines(Self.answering([""], present)).contains("Enter: none, as now"))
        #expect(Self.number(Self.answering(["", ""], present)) == 5)
        #expect(Self.number(Self.answering(["", "mqtts://broker.example"], present)) == 3)
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
            (["ble", ""], 2, "no answer"), (["ble", "http://x"], 2, "broker URL"),
            (["ble", "mqtt://broker.example"], 2, "unencrypted"), (["ble", "mqtts://u:p@b.example"], 2, "credentials"),
            (["ble", "local", "a b"], 3, "no space"), (["ble", "local", "a:b"], 3, "colon"),
            (["ble", "local", "", "x "], 4, "space"), (["ble", "local", "", "", "a/b"], 5, "topic level"),
            (["tpc:h:1"], 1, "did you mean tcp?"), (["ble", "LOCAL", "", "", "agent-1"], 5, "begin with agent-"),
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
        #expect(Self.answering(["", "", "", "", ""], facts) == .finished(SetupAnswers()))
        #expect(Self.lines(Self.answering([], facts)).contains("serial:/dev/ttyUSB0, as now"))
        #expect(Self.lines(Self.answering([""], facts)).contains("mqtts://second.example:8883, as now"))
        #expect(Self.answering(["scan"], facts) == .scan)
        // Another broker knows other users.
        #expect(Self.lines(Self.answering(["", "mqtts://third.example"], facts)).contains("Enter: none"))
    }

    private static let present = "[mqtt]\nurl = \"mqtt://127.0.0.1\"\nusername = \"obd\"\npassword_file = \"/old\"\n"

    @Test(
        "The same broker in other words, and the same user, keep the password with Enter",
        arguments: ["", "mqtt://127.0.0.1", "mqtt://127.0.0.1:1883", "MQTT://127.0.0.1/"]
    )
    func sameBroker(url: String) throws {
        let facts = try Self.facts(Self.present)
        #expect(Self.lines(Self.answering(["", url], facts)).contains("Enter: obd, as now"))
        for user in ["", "obd"] {
            let step = Self.answering(["", url, user], facts)
            #expect(Self.number(step) == 4 && Self.lines(step).contains("Enter: as now"))
            for (typed, password) in [("", nil), ("new", "new")] {
                guard case .finished(let answers) = Self.answering(["", url, user, typed, ""], facts) else {
                    throw CancellationError()
                }
                #expect(answers.password == password)
            }
        }
        let other = Self.answering(["", url, "bert"], facts)
        #expect(Self.number(other) == 4 && Self.lines(other).contains("Enter: none"))
    }

    @Test("Another broker, or none of the users, leaves the present password out")
    func otherBroker() throws {
        let facts = try Self.facts(Self.present)
        #expect(Self.lines(Self.answering(["", "mqtt://127.0.0.1:1884"], facts)).contains("Enter: none"))
        let step = Self.answering(["", "mqtt://127.0.0.1:1884", "obd"], facts)
        #expect(Self.lines(step).contains("Enter: none"))
    }

    @Test("A refusal of the broker asks for the user and the password again, and for nothing else")
    func refused() throws {
        var given = SetupAnswers(adapter: "ble", broker: .url("mqtts://b.example"))
        (given.user, given.password) = (.named("obd"), "wrong")
        var dialogue = SetupDialogue(try Self.facts(), given: given)
        _ = dialogue.begin()
        given.name = "van"
        #expect(dialogue.answered("van") == .finished(given))
        let again = dialogue.refused("user name or password is wrong")
        #expect(Self.number(again) == 3 && Self.lines(again).contains("That did not work: user name or password is"))
        #expect(Self.lines(again).contains("Enter: obd"))
        #expect(Self.number(dialogue.answered("")) == 4)
        given.password = "right"
        #expect(dialogue.answered("right") == .finished(given))
        _ = dialogue.refused("no")
        _ = dialogue.answered("anna")
        (given.user, given.password) = (.named("anna"), "")
        #expect(dialogue.answered("") == .finished(given))
    }

    @Test("A refusal of the kept password asks for another one of the same user")
    func keptRefused() throws {
        var dialogue = SetupDialogue(try Self.facts(Self.present), given: SetupAnswers())
        _ = dialogue.begin()
        for text in ["", "", "", "wrong"] { _ = dialogue.answered(text) }
        #expect(Self.lines(dialogue.refused("no")).contains("Enter: obd, as now"))
        #expect(Self.lines(dialogue.answered("")).contains("Enter: as now"))
        #expect(dialogue.answered("") == .finished(SetupAnswers()))
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
        let all = ["--adapter ADDRESS", "--broker URL, --local-broker or --no-broker"]
        #expect(SetupDialogue(facts, given: SetupAnswers()).missingOptions == all)
        var given = SetupAnswers(adapter: "ble", broker: .url("mqtts://b.example"))
        #expect(SetupDialogue(facts, given: given).missingOptions.isEmpty)
        given.user = .named("obd")
        #expect(SetupDialogue(facts, given: given).missingOptions == ["--password-file FILE"])
        given.broker = .local
        #expect(SetupDialogue(facts, given: given).missingOptions.isEmpty)
        var same = SetupAnswers()
        same.user = .named("obd")
        #expect(SetupDialogue(try Self.facts(Self.present), given: same).missingOptions.isEmpty)
        let present = try Self.facts("[mqtt]\nurl = \"mqtts://b.example\"\n")
        #expect(SetupDialogue(present, given: SetupAnswers()).missingOptions.isEmpty)
    }

    @Test("A hidden line can be corrected, ended and cancelled")
    func hiddenLine() {
        func type(bytes: some Sequence<UInt8>) -> HiddenLine.Action {
            var line = HiddenLine()
            var action = HiddenLine.Action.more
            for byte in bytes where action == .more { action = line.received(byte) }
            return action
        }
        func type(_ text: String) -> HiddenLine.Action { type(bytes: text.utf8) }
        #expect(type("secret\n") == .finished("secret"))
        #expect(type("secü\u{7F}r\r") == .finished("secr"))
        #expect(type("\u{7F}\u{8}wrong\u{15}right\n") == .finished("right"))
        #expect(type("secret\u{3}") == .interrupted && type("\u{4}") == .cancelled)
        #expect(type("x\u{1}\u{4}") == .finished("x"))
        #expect(type("secret") == .more && type("\n") == .finished(""))
        #expect(type(String(repeating: "x", count: 4096) + "\n") == .finished(String(repeating: "x", count: 4096)))
        #expect(type(String(repeating: "x", count: 4097) + "\n") == .unusable("it has more than 4096 bytes"))
        // Arrows, Delete and a function key.
        #expect(type("a\u{1B}[A\u{1B}[3~\u{1B}OPb\u{1B}[1;5C\n") == .finished("ab"))
        #expect(type("\u{1B}[\u{3}") == .interrupted && type("a\u{1B}\n") == .finished("a"))
        #expect(type(bytes: [0xE4, UInt8(ascii: "p"), UInt8(ascii: "\n")]) == .unusable(HiddenLine.notUTF8))
    }
}
