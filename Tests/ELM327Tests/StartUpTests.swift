// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Start-up of an adapter")
struct StartUpTests {
    private static let banner: Answer = "\r\rELM327 v1.5\r\r>"
    private static let first: Answer = "SEARCHING...\r7E8 06 41 00 BE 3E B8 11\r\r>"
    private static let bitmap: [UInt8] = [0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]

    private static let genuine: [String: [Answer]] = [
        "ATZ": [Answer([(.milliseconds(600), "ATZ\r\r\rELM327 v2.1\r\r>")])], "ATE0": ["ATE0\rOK\r\r>"],
        "ATRV": ["12.6V\r\r>"],
        "0100": [first], "ATDPN": ["A6\r\r>"],
    ]

    private static func script(_ changes: [String: [Answer]]) -> [String: [Answer]] {
        self.genuine.merging(changes) { $1 }
    }

    private static func report(
        _ changes: [String: [Answer]] = [:],
        bus: BusProtocol? = nil
    ) throws -> (report: AdapterReport, bench: Bench) {
        var bench = Bench(self.script(changes))
        let step = bench.startUp(bus: bus)
        guard case .finished(let report) = step else { throw Unfinished(step: step) }
        return (report, bench)
    }

    private static func failure(_ changes: [String: [Answer]], bus: BusProtocol? = nil) -> StartUpError? {
        var bench = Bench(self.script(changes))
        guard case .failed(let error) = bench.startUp(bus: bus) else { return nil }
        return error
    }

    private struct Unfinished: Error {
        let step: StartUp.Step?
    }

    @Test("A genuine adapter starts up without redundant settings")
    func genuine() throws {
        let (report, bench) = try Self.report()
        let expected: [ECUAddress: [[UInt8]]] = [.can11(0x7E8): [Self.bitmap]]
        #expect(report.identity == "ELM327 v2.1")
        #expect(report.voltage == 12.6)
        #expect(report.bus == .can11at500)
        #expect(report.unsupported == [])
        #expect(report.ecus == expected)
        #expect(bench.sent == ["ATZ", "ATE0", "ATL0", "ATS0", "ATM0", "ATH1", "ATRV", "ATSP0", "0100", "ATDPN"])
        #expect(report.postponedSettings == ["ATAT1", "ATCAF1", "ATCFC1"])
    }

    @Test("Default settings are sent at once if the echo does not prove the reset")
    func notFresh() throws {
        let (report, bench) = try Self.report(["ATE0": ["OK\r\r>"]])
        #expect(report.postponedSettings == [])
        #expect(bench.sent[5..<10] == ["ATH1", "ATAT1", "ATCAF1", "ATCFC1", "ATRV"])
    }

    @Test(
        "A banner is found behind garbage, its echo or both (quirk 3)",
        arguments: ["ATZELM327 v1.5", "üELM327 v1.5", "ATZ\rü ELM327 v1.5"]
    )
    func garbledBanner(text: String) throws {
        let (report, bench) = try Self.report(["ATZ": [Answer(stringLiteral: text + "\r\r>")]])
        #expect(report.identity == "ELM327 v1.5")
        #expect(bench.sent.prefix(2) == ["ATZ", "ATE0"])
    }

    @Test("AT Z is repeated after a first question mark")
    func questionMarkFirst() throws {
        let (report, bench) = try Self.report(["ATZ": ["?\r\r>", Self.banner]])
        #expect(report.identity == "ELM327 v1.5")
        #expect(bench.sent.prefix(3) == ["ATZ", "ATZ", "ATE0"])
    }

    @Test(
        "An adapter that never answers AT Z is identified by AT I",
        arguments: [.silence, "STOPPED\r\r>"] as [Answer]
    )
    func silentReset(interrupt: Answer) throws {
        let (report, bench) = try Self.report(["ATZ": [.silence], "ATI": ["ELM327 v1.5\r\r>"], " ": [interrupt]])
        #expect(bench.sent.prefix(5) == ["ATZ", " ", "ATI", "ATI", "ATWS"])
        #expect(report.identity == "ELM327 v1.5")
        #expect(report.unsupported == ["ATZ"])
    }

    @Test("An adapter with another banner is accepted (quirk 19)")
    func otherBanner() throws {
        #expect(
            try Self.report(["ATZ": ["VENDOR OPTION/MODE\r\r>"], "ATI": ["YM1130\r\r>"]]).report.identity == "YM1130"
        )
    }

    @Test("The prompt of AT Z may arrive only before the next reply (quirk 1)")
    func missingPrompt() throws {
        let banner = Answer([(.milliseconds(600), "\r\rELM327 v1.5\r\r")])
        let (report, _) = try Self.report(["ATZ": [banner], " ": [">"], "ATI": ["ELM327 v1.5\r\r>"]])
        #expect(report.identity == "ELM327 v1.5")
    }

    @Test("A device that is silent or does not know AT I is no adapter")
    func noAdapter() {
        #expect(Self.failure(["ATZ": [.silence], "ATI": [.silence]]) == .notAnAdapter)
        #expect(Self.failure(["ATZ": ["?\r\r>"], "ATI": ["?\r\r>"]]) == .notAnAdapter)
        #expect(Self.failure(["ATZ": ["\r>"], "ATI": ["\r>"]]) == .notAnAdapter)
    }

    @Test(
        "Unknown commands are noted, and start-up continues (quirk 10)",
        arguments: ["ATL0", "ATS0", "ATM0", "ATAT1", "ATCAF1", "ATCFC1", "ATE0"]
    )
    func unsupported(command: String) throws {
        // Without the echo, the reset is not proven, so no setting is postponed.
        let script: [String: [Answer]] = ["ATE0": ["OK\r\r>"], " ": ["STOPPED\r\r>"]]
        for answer in ["?\r\r>", .silence] as [Answer] {
            #expect(try Self.report(script.merging([command: [answer]]) { $1 }).report.unsupported == [command])
        }
    }

    @Test("An adapter starts up with echo, spaces and line feeds on (quirks 2, 5, 10 and 28)")
    func everythingOn() throws {
        var script: [String: [Answer]] = ["ATE0": ["ATE0\r\n?\r\n\r\n>"]]
        for (line, text) in [
            ("ATL0", "?"), ("ATS0", "?"), ("ATM0", "OK"), ("ATH1", "OK"), ("ATAT1", "OK"), ("ATCAF1", "OK"),
            ("ATCFC1", "?"),
            ("ATRV", "12.6 V"), ("ATSP0", "OK"), ("0100", "SEARCHING...\r\n7E8 06 41 00 BE 3E B8 11 "), ("ATDPN", "A6"),
        ] {
            script[line] = [Answer(stringLiteral: "\(line)\r\n\(text)\r\n\r\n>")]
        }
        let (report, _) = try Self.report(script)
        #expect(report.ecus == [.can11(0x7E8): [Self.bitmap]])
        #expect(report.voltage == 12.6)
        #expect(report.unsupported == ["ATE0", "ATL0", "ATS0"])
    }

    @Test("A clone that answers OK to everything is detected (quirk 14)")
    func yesMan() {
        var bench = Bench(["ATZ": [Self.banner], "0100": ["41 00 BE 3E B8 11\r\r>"]])
        #expect(bench.startUp() == .failed(.headersIgnored))
        var worse = Bench([:])
        #expect(worse.startUp() == .failed(.unusableReply(["OK"])))
    }

    @Test("An adapter without headers is reported at once")
    func noHeaders() {
        #expect(Self.failure(["ATH1": ["?\r\r>"]]) == .headersIgnored)
    }

    @Test("If the adapter cannot search, the agent searches (quirk 11: never with AT TP)")
    func ownSearch() throws {
        let (report, bench) = try Self.report([
            "ATSP0": ["?\r\r>"], "0100": ["CAN ERROR\r\r>", "NO DATA\r\r>", "7E8 06 41 00 BE 3E B8 11\r\r>"],
            "ATDPN": ["8\r\r>"],
        ])
        #expect(report.bus == .can11at250)
        #expect(report.unsupported == ["ATSP0"])
        #expect(bench.sent.filter { $0.hasPrefix("ATSP") } == ["ATSP0", "ATSP6", "ATSP7", "ATSP8"])
        #expect(!bench.sent.contains { $0.hasPrefix("ATTP") })
    }

    @Test("If the adapter accepts AT SP 0 without searching, the agent searches")
    func pretendedSearch() throws {
        let (report, bench) = try Self.report([
            "0100": ["NO DATA\r\r>", "CAN ERROR\r\r>", "18DAF110064100BE3EB811\r\r>"], "ATDPN": ["7\r\r>"],
        ])
        #expect(report.bus == .can29at500)
        #expect(bench.sent.filter { $0.hasPrefix("ATSP") } == ["ATSP0", "ATSP6", "ATSP7"])
        #expect(report.assessments[.protocolSearch]?.verdict == .ignored)
    }

    @Test("The agent's search ends, however long each protocol takes")
    func longSearch() {
        let slow = Answer([
            (.seconds(1), "BUS INIT: "), (.seconds(19), "."), (.seconds(19), "."), (.seconds(4), "ERROR\r\r>"),
        ])
        var bench = Bench(Self.script(["ATSP0": ["?\r\r>"], "0100": [slow]]))
        #expect(bench.startUp() == .failed(.noVehicle(.busInitError)))
        #expect(bench.now < StartUp.searchLimit + .seconds(60))
    }

    @Test("If AT Z breaks the link, gentler resets are used (quirk 16)")
    func gentleReset() {
        for (reset, commands) in [(.warm, ["ATI", "ATWS", "ATE0"]), (.soft, ["ATI", "ATD", "ATE0"])]
            as [(StartUp.Reset, [String])]
        {
            var startUp = StartUp(reset: reset)
            var step = startUp.begin()
            var sent: [String] = []
            while case .send(let command) = step, sent.count < 3 {
                sent.append(command.line)
                step = startUp.commandEnded(.reply(["ELM327 v1.5"]), after: .zero)
            }
            #expect(sent == commands)
        }
        var startUp = StartUp(reset: .warm)
        _ = startUp.begin()
        _ = startUp.commandEnded(.reply(["ELM327 v1.5"]), after: .zero)
        let next = startUp.commandEnded(.reply(["?"]), after: .zero)
        #expect(next == .send(AdapterCommand("ATD", timeout: AdapterCommand.resetTimeout)))
    }

    @Test("An impossible voltage is read again, and not reported (quirks 43 and 45)")
    func voltage() throws {
        #expect(try Self.report(["ATRV": ["4.1V\r\r>", "12.4V\r\r>"]]).report.voltage == 12.4)
        let (report, bench) = try Self.report(["ATRV": ["0.0V\r\r>"]])
        #expect(report.voltage == nil && report.assessments[.voltage]?.verdict == .ignored)
        #expect(bench.sent.count { $0 == "ATRV" } == 3)
    }

    @Test("Settings are judged by their effect, not by their OK")
    func assessments() throws {
        let fine = try Self.report(["0100": ["7E8064100BE3EB811\r\r>"]]).report
        for capability in [.reset, .echoOff, .linefeedsOff, .spacesOff, .headers, .voltage] as [Capability] {
            #expect(fine.works(capability), "\(capability)")
        }
        #expect(fine.works(.protocolSearch) && fine.works(.protocolReport) && !fine.works(.stn))
        let liar = try Self.report([
            "ATE0": ["ATE0\r\nOK\r\n\r\n>"], "ATS0": ["?\r\r>"], "ATDPN": ["A8\r\r>"],
            "0100": ["0100\r\n7E8 06 41 00 BE 3E B8 11 \r\n\r\n>"],
        ]).report
        #expect(liar.assessments[.echoOff]?.verdict == .ignored && liar.assessments[.linefeedsOff]?.verdict == .ignored)
        #expect(liar.assessments[.spacesOff]?.verdict == .refused)
        #expect(liar.forms == [.echo, .linefeeds])
        #expect(liar.assessments[.echoOff]?.evidence.map(\.request) == ["ATE0", "0100"])
    }

    @Test("A configured protocol is the only one tried")
    func fixedProtocol() throws {
        let (report, bench) = try Self.report(["ATDPN": ["6\r\r>"]], bus: .can11at500)
        #expect(report.bus == .can11at500)
        #expect(bench.sent.filter { $0.hasPrefix("ATSP") } == ["ATSP6"])
        #expect(Self.failure(["ATSP6": ["?\r\r>"]], bus: .can11at500) == .noVehicle(.notUnderstood))
        #expect(Self.failure(["0100": ["NO DATA\r\r>"]], bus: .can11at500) == .noVehicle(.noData))
    }

    @Test("Text around the OK of AT SP is accepted (quirk 12)")
    func textAroundOK() throws {
        #expect(try Self.report(["ATSP0": ["AT SP 0\rOK 0\r\r>"]]).report.bus == .can11at500)
    }

    @Test("Dots over 25 seconds are a search, not silence (quirk 20)")
    func trickle() throws {
        let dots = (0..<25).map { (after: Duration.seconds(1), text: $0 == 0 ? "SEARCHING." : ".") }
        let (report, bench) = try Self.report([
            "0100": [Answer(dots + [(.seconds(1), "\r7E8 06 41 00 BE 3E B8 11\r\r>")])]
        ])
        #expect(report.ecus == [.can11(0x7E8): [Self.bitmap]])
        #expect(bench.now > .seconds(26))
        #expect(!bench.sent.contains(" "))
    }

    @Test(
        "Status texts without data mean that no vehicle answers (quirks 21, 23 and 24)",
        arguments: [
            ("SEARCHING...\rUNABLE TO CONNECT", .unableToConnect), ("SEARCHING...NABLETO", .unableToConnect),
            ("BUS INIT: ERROR", .busInitError), ("BUS INIT: ...ERROR", .busInitError), ("CAN ERROR", .busError),
            ("SEARCHING...\rCAN ERROR", .busError), ("NO DATA", .noData), ("!ACT ALERT\rNO DATA", .noData),
            ("BUS INIT: STOPPED", .stopped),
        ] as [(String, Notice)]
    )
    func noVehicle(text: String, notice: Notice) {
        #expect(Self.failure(["0100": [Answer(stringLiteral: text + "\r\r>")]]) == .noVehicle(notice))
    }

    @Test(
        "A search that was stopped or found a busy bus is repeated once",
        arguments: ["STOPPED", "BUS BUSY", "DATA ERROR"]
    )
    func stoppedSearch(text: String) throws {
        let answer = Answer(stringLiteral: text + "\r\r>")
        #expect(try Self.report(["0100": [answer, Self.first]]).report.bus == .can11at500)
        #expect(Self.failure(["0100": [answer, answer, Self.first]]) != nil)
    }

    @Test(
        "A BUS INIT text in front of the data is accepted in every spelling (quirks 21 and 22)",
        arguments: [
            "BUS INIT: OK\r", "BUS INIT: ...OK\r", "BUSINIT...OK\r", "BUS INIT: OK", "SEARCHING...\rBUS INIT: ...OK\r",
        ]
    )
    func busInit(text: String) throws {
        let answer = Answer(stringLiteral: text + "86 F1 10 41 00 BE 3E B8 11 8D\r\r>")
        let (report, _) = try Self.report(["0100": [answer], "ATDPN": ["A5\r\r>"]])
        #expect(report.bus == .kwpFast)
        #expect(report.ecus == [.legacy(0x10): [Self.bitmap]])
    }

    @Test(
        "The protocol of AT DPN counts if the frames match it (quirks 5 and 17)",
        arguments: [
            ("A6", .can11at500), ("6", .can11at500), ("A8", .can11at250), ("8", .can11at250), ("A\r6", .can11at500),
            ("\rA8\r\rOK", .can11at250), ("A0", .can11at500), ("0", .can11at500), ("OK", .can11at500),
            ("?", .can11at500),
            ("A7", .can11at500), ("AA", .can11at500), ("A1", .can11at500), ("", .can11at500),
        ] as [(String, BusProtocol)]
    )
    func describedProtocol(text: String, bus: BusProtocol) throws {
        #expect(try Self.report(["ATDPN": [Answer(stringLiteral: text + "\r\r>")]]).report.bus == bus)
    }

    @Test("The frames decide the protocol if the adapter does not report it")
    func protocolFromFrames() throws {
        for (text, bus) in [
            ("18DAF110064100BE3EB811", .can29at500), ("86F1104100BE3EB8118D", .kwpFast),
            ("486B104100BE3EB811C9", .iso9141),
            ("486B104100BE3EB811FA", .j1850VPW), ("416B104100BE3EB81190", .j1850PWM),
        ] as [(String, BusProtocol)] {
            #expect(
                try Self.report(["0100": [Answer(stringLiteral: text + "\r\r>")], "ATDPN": ["A0\r\r>"]]).report.bus
                    == bus
            )
        }
    }

    @Test(
        "An adapter that stops answering during start-up is reported",
        arguments: ["ATE0", "ATH1", "ATSP0", "0100", "ATDPN"]
    )
    func dies(command: String) {
        #expect(Self.failure([command: [.silence]]) == .adapterSilent)
    }

    @Test("A restart during the search is no answer (quirk 26)")
    func restarts() {
        #expect(Self.failure(["0100": ["LV RESET\r\r>"]]) == .unusableReply(["LV RESET"]))
    }

    @Test("The phase shows the progress of start-up")
    func phases() {
        var startUp = StartUp(bus: .kwpFast)
        _ = startUp.begin()
        #expect(startUp.phase == .resetting)
        _ = startUp.commandEnded(.reply(["ELM327 v1.5"]), after: .zero)
        #expect(startUp.phase == .configuring)
        for _ in 0..<12 { _ = startUp.commandEnded(.reply(["OK"]), after: .zero) }
        #expect(startUp.phase == .searching(.kwpFast))
    }
}
