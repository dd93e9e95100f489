// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Switching an adapter to one ECU and back")
struct AddressSwitchTests {
    static let battery = Addressing(header: .can11(0x7E4), responder: .can11(0x7EC))
    static let body = Addressing(header: .can11(0x7A0), responder: .can11(0x7A8), setsFlowControl: true)
    static let extended = Addressing(
        header: .can11(0x6F1),
        responder: .can11(0x607),
        addressExtension: .init(request: 0x07, reply: 0xF1),
        setsFlowControl: true,
        wait: 0x64
    )
    static let tyres = Addressing(
        header: .can11(0x750),
        responder: .can11(0x758),
        addressExtension: .init(request: 0x2A, reply: 0x2A)
    )
    static let far = Addressing(header: .can29(0x17FC_0076), responder: .can29Identifier(0x17FE_0076))
    /// A request with a priority that the reply need not have.
    static let open = Addressing(header: .can29(0x14DA_11F1), responder: nil)
    static let kwp = Addressing(header: .legacy(0x82, 0x10, 0xF1), responder: .legacy(0x10))

    static let all: [(Addressing, BusProtocol)] = [
        (battery, .can11at500), (body, .can11at500), (extended, .can11at500), (tyres, .can11at250), (far, .can29at500),
        (open, .can29at500), (kwp, .kwpFast),
    ]

    @Test("Settings are sent in the order that adapters require, and undone in reverse")
    func order() {
        var adapter = SettingsAdapter()
        #expect(adapter.turn(to: Self.extended, on: .can11at500) == .ready)
        #expect(
            adapter.lines == [
                "ATSH6F1", "ATCRA607", "ATCEA07", "ATFCSH6F1", "ATFCSD07300000", "ATFCSM1", "ATST64",
            ]
        )
        adapter.lines = []
        #expect(adapter.turn(to: nil, on: .can11at500) == .ready)
        #expect(adapter.lines == ["ATST32", "ATFCSM0", "ATCEA", "ATCRA", "ATSH7DF"])
        #expect(adapter.settings.isEmpty)
    }

    @Test("An ECU within the adapter's default filter needs only a header")
    func headerOnly() {
        var adapter = SettingsAdapter()
        #expect(adapter.turn(to: Self.battery, on: .can11at500) == .ready)
        #expect(adapter.lines == ["ATSH7E4"])
        #expect(adapter.turn(to: Self.battery, on: .can11at500) == .ready)
        #expect(adapter.lines == ["ATSH7E4"])
    }

    @Test(
        "The default header of each bus is restored",
        arguments: [
            (BusProtocol.kwpFast, "ATSHC233F1"), (.kwp5Baud, "ATSHC233F1"), (.iso9141, "ATSH686AF1"),
            (.j1850VPW, "ATSH686AF1"), (.j1850PWM, "ATSH616AF1"),
        ]
    )
    func legacy(bus: BusProtocol, last: String) {
        var adapter = SettingsAdapter()
        #expect(adapter.turn(to: Self.kwp, on: bus) == .ready)
        #expect(adapter.turn(to: nil, on: bus) == .ready)
        #expect(adapter.lines == ["ATSH8210F1", last])
    }

    @Test("A 29-bit identifier is set as a priority and a header")
    func extendedIdentifiers() {
        var adapter = SettingsAdapter()
        #expect(adapter.turn(to: Self.far, on: .can29at500) == .ready)
        #expect(adapter.turn(to: nil, on: .can29at500) == .ready)
        #expect(
            adapter.lines == ["ATCP17", "ATSHFC0076", "ATCRA17FE0076", "ATCRA", "ATSHDB33F1", "ATCP18"]
        )
    }

    @Test("Without AT CRA, the filter is set with AT CF and AT CM, and reset with AT AR")
    func filterFallback() {
        var adapter = SettingsAdapter()
        adapter.faults = ["ATCRA7A8": .refused]
        #expect(adapter.turn(to: Self.body, on: .can11at500) == .ready)
        #expect(adapter.lines.starts(with: ["ATSH7A0", "ATCRA7A8", "ATCRA7A8", "ATCF7A8", "ATCM7FF"]))
        #expect(adapter.turn(to: nil, on: .can11at500) == .ready)
        #expect(adapter.lines.suffix(2) == ["ATAR", "ATSH7DF"] && adapter.settings.isEmpty)
    }

    @Test("If the reply may have any priority, the filter has the end of the identifier only")
    func openFilter() {
        var adapter = SettingsAdapter()
        #expect(adapter.turn(to: Self.open, on: .can29at500) == .ready)
        #expect(adapter.lines == ["ATCP14", "ATSHDA11F1", "ATCF0000F111", "ATCM0000FFFF"])
        #expect(adapter.turn(to: nil, on: .can29at500) == .ready)
        #expect(adapter.lines.suffix(3) == ["ATAR", "ATSHDB33F1", "ATCP18"] && adapter.settings.isEmpty)

        var other = SettingsAdapter()
        other.faults = ["ATCF0000F111": .refused]
        #expect(other.turn(to: Self.open, on: .can29at500) == .ready)
        #expect(other.lines.last == "ATCRAXXXXF111")
        #expect(other.turn(to: nil, on: .can29at500) == .ready && other.settings.isEmpty)
    }

    @Test("If AT CRA without an address is refused, the filter is reset with AT AR")
    func resetFallback() {
        var adapter = SettingsAdapter()
        adapter.faults = ["ATCRA": .refused]
        #expect(adapter.turn(to: Self.body, on: .can11at500) == .ready)
        #expect(adapter.turn(to: nil, on: .can11at500) == .ready)
        #expect(adapter.lines.suffix(3) == ["ATCRA", "ATAR", "ATSH7DF"] && adapter.settings.isEmpty)
    }

    @Test("No fault at any command makes the switch report wrong settings as restored")
    func everyFault() {
        for (addressing, bus) in Self.all {
            var whole = SettingsAdapter()
            #expect(whole.turn(to: addressing, on: bus) == .ready)
            #expect(whole.turn(to: nil, on: bus) == .ready)
            let lines = Set(whole.lines + ["ATCF7A8", "ATCM7FF", "ATAR"])
            for line in lines {
                for fault in SettingsAdapter.Fault.allCases {
                    self.check(addressing, bus, line, fault)
                }
            }
        }
    }

    private func check(_ addressing: Addressing, _ bus: BusProtocol, _ line: String, _ fault: SettingsAdapter.Fault) {
        var adapter = SettingsAdapter()
        adapter.faults = [line: fault]
        let comment: Comment = "\(line) \(fault) on \(bus)"
        let there = adapter.turn(to: addressing, on: bus)
        let occurredBefore = adapter.hasFaultOccurred
        switch there {
        case .ready:
            let back = adapter.turn(to: nil, on: bus)
            if back == .ready { #expect(adapter.settings.isEmpty, comment) }
            if fault == .dead, adapter.hasFaultOccurred { #expect(back == .silent, comment) }
            if fault == .restarted, adapter.hasFaultOccurred { #expect(back == .restarted, comment) }
            if adapter.hasFaultOccurred, [.done, .undone].contains(fault) {
                #expect(back == .lost || occurredBefore, comment)
            }
        case .refused(let refused):
            #expect(adapter.settings.isEmpty && refused == line && fault == .refused, comment)
            #expect(adapter.turn(to: nil, on: bus) == .ready)
        case .failed:
            #expect(adapter.settings.isEmpty && [.done, .undone].contains(fault), comment)
            adapter.faults = [:]
            #expect(adapter.turn(to: addressing, on: bus) == .ready)
        case .lost, .silent, .restarted:
            #expect(occurredBefore, comment)
        case .send:
            Issue.record(comment)
        }
    }

    @Test("A first question mark may answer left-over bytes; a second is a refusal")
    func questionMark() {
        var machine = AddressSwitch()
        let header = AdapterCommand.timeout
        #expect(machine.turn(to: Self.battery, on: .can11at500) == .send(AdapterCommand("ATSH7E4", timeout: header)))
        #expect(machine.commandEnded(.reply(["?"])) == .send(AdapterCommand("ATSH7E4", timeout: header)))
        #expect(machine.commandEnded(.reply(["OK"])) == .ready)
    }

    @Test("After a refusal, all settings are undone and other requests continue")
    func refusal() {
        var adapter = SettingsAdapter()
        adapter.faults = ["ATCEA07": .refused]
        #expect(adapter.turn(to: Self.extended, on: .can11at500) == .refused("ATCEA07"))
        #expect(adapter.lines.suffix(2) == ["ATCRA", "ATSH7DF"] && adapter.settings.isEmpty)
        #expect(adapter.turn(to: Self.battery, on: .can11at500) == .ready)
        #expect(adapter.settings == ["SH": "7E4"])
    }
}

/// An adapter that only keeps its settings: those that differ from the start.
struct SettingsAdapter {
    enum Fault: CaseIterable {
        case refused
        /// A prompt only after the interrupt, with the command performed or not.
        case done, undone
        case dead
        case restarted
    }

    var faults: [String: Fault] = [:]
    var lines: [String] = []
    private(set) var settings: [String: String] = [:]
    private(set) var hasFaultOccurred = false
    private var machine = AddressSwitch()

    mutating func turn(to addressing: Addressing?, on bus: BusProtocol) -> AddressSwitch.Step {
        var step = self.machine.turn(to: addressing, on: bus)
        for _ in 0..<100 {
            guard case .send(let command) = step else { return step }
            self.lines.append(command.line)
            step = self.machine.commandEnded(self.answer(command.line))
        }
        return step
    }

    private mutating func answer(_ line: String) -> CommandOutcome {
        guard let fault = self.faults[line] else {
            self.apply(line)
            return .reply(["OK"])
        }
        self.hasFaultOccurred = true
        switch fault {
        case .refused: return .reply(["?"])
        case .done:
            self.apply(line)
            return .silence(prompted: true)
        case .undone: return .silence(prompted: true)
        case .dead: return .silence(prompted: false)
        case .restarted:
            self.settings = [:]
            return .reply(["ELM327 v1.5"])
        }
    }

    private static let defaults = [
        "SH": ["7DF", "DB33F1", "C233F1", "686AF1", "616AF1"], "CP": ["18"], "CRA": [""], "CEA": [""], "TA": ["F1"],
        "FCSM": ["0"], "ST": ["32"],
    ]

    private mutating func apply(_ line: String) {
        let text = line.dropFirst(2)
        if text == "AR" { return self.reset() }
        // The header and data of flow control have no effect without the mode.
        guard let name = Self.defaults.keys.first(where: { text.hasPrefix($0) && !text.hasPrefix("FCSH") }) else {
            if text.hasPrefix("CF") || text.hasPrefix("CM") {
                self.settings[String(text.prefix(2))] = String(text.dropFirst(2))
            }
            return
        }
        let value = String(text.dropFirst(name.count))
        if name == "CRA", value.isEmpty { return self.reset() }
        self.settings[name] = Self.defaults[name, default: []].contains(value) ? nil : value
    }

    private mutating func reset() {
        for name in ["CRA", "CF", "CM"] { self.settings[name] = nil }
    }
}
