// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Searching for other dialects")
struct DialectSearchTests {
    private static let silentVehicle: [String: [Answer]] = [
        "ATZ": ["\r\rELM327 v2.1\r\r>"], "ATRV": ["12.6V\r\r>"],
        "0100": ["SEARCHING...\rUNABLE TO CONNECT\r\r>"], "22F400": ["NO DATA\r\r>"], "ATMPF0041": [.silence],
        "ATMPFECA1": [.silence], " ": ["STOPPED\r\r>"],
    ]

    private static func startUp(
        _ changes: [String: [Answer]],
        bus: BusProtocol? = nil,
        requests: [BusRequest] = []
    ) -> (step: StartUp.Step?, sent: [String]) {
        var bench = Bench(self.silentVehicle.merging(changes) { $1 })
        let step = bench.startUp(bus: bus, requests: requests)
        return (step, Array(bench.sent.drop { !$0.hasPrefix("ATSP") }))
    }

    private static func report(_ step: StartUp.Step?) -> AdapterReport? {
        if case .finished(let report) = step { report } else { nil }
    }

    @Test("A vehicle with J1979-2 is found after a protocol search without result")
    func part2() throws {
        let (step, sent) = Self.startUp(["22F400": ["7E80762F400BE3EB811\r\r>"]])
        let report = try #require(Self.report(step))
        #expect(report.bus == .can11at500)
        #expect(report.ecus == [.can11(0x7E8): [[0x62, 0xF4, 0x00, 0xBE, 0x3E, 0xB8, 0x11]]])
        #expect(sent == ["ATSP0", "0100", "ATSP6", "22F400"])
    }

    @Test("A vehicle with J1979-2 and 29-bit identifiers is found")
    func part2Extended() throws {
        let (step, sent) = Self.startUp(["22F400": ["NO DATA\r\r>", "18DAF1100762F400BE3EB811\r\r>"]])
        let report = try #require(Self.report(step))
        #expect(report.bus == .can29at500)
        #expect(Array(report.ecus.keys) == [.can29(0x10)])
        #expect(sent == ["ATSP0", "0100", "ATSP6", "22F400", "ATSP7", "22F400"])
    }

    @Test("With a configured protocol, J1979-2 is tried on that protocol only")
    func configured() throws {
        let changes: [String: [Answer]] = ["0100": ["NO DATA\r\r>"], "22F400": ["7E80762F400BE3EB811\r\r>"]]
        let (step, sent) = Self.startUp(changes, bus: .can11at500)
        #expect(Self.report(step)?.bus == .can11at500)
        #expect(sent == ["ATSP6", "0100", "22F400"])
        let silent = Self.startUp(["0100": ["NO DATA\r\r>"]], bus: .can11at500)
        #expect(silent.step == .failed(.noVehicle(.noData)))
        #expect(silent.sent == ["ATSP6", "0100", "22F400"])
        let older = Self.startUp(["0100": ["BUS INIT: ...ERROR\r\r>"]], bus: .iso9141)
        #expect(older.sent == ["ATSP3", "0100"])
    }

    @Test("ECUs that refuse service 01 get a J1979-2 request")
    func refusing() throws {
        let (step, sent) = Self.startUp([
            "0100": ["SEARCHING...\r7E8037F0111\r\r>"], "ATDPN": ["A6\r\r>"], "22F400": ["7E80762F400BE3EB811\r\r>"],
        ])
        #expect(Self.report(step)?.ecus == [.can11(0x7E8): [[0x62, 0xF4, 0x00, 0xBE, 0x3E, 0xB8, 0x11]]])
        #expect(sent == ["ATSP0", "0100", "ATDPN", "22F400"])
    }

    @Test("A truck is found by its broadcasts, without a request")
    func truck() throws {
        let (step, sent) = Self.startUp(["ATMPF0041": ["3 0F004 00 FF FF FF 68 13 FF FF FF\r\r>"]])
        let report = try #require(Self.report(step))
        #expect(report.bus == .j1939)
        #expect(report.ecus == [.j1939(0): [[0x00, 0xF0, 0x04, 0xFF, 0xFF, 0xFF, 0x68, 0x13, 0xFF, 0xFF, 0xFF]]])
        #expect(sent == ["ATSP0", "0100", "ATSP6", "22F400", "ATSP7", "22F400", "ATCSM1", "ATSPA", "ATMPF0041"])
    }

    @Test("A truck whose engine is off is found by its broadcast codes")
    func standing() throws {
        let (step, _) = Self.startUp(["ATMPFECA1": ["6 0FECA 00 00 FF 00 00 00 00 FF FF\r\r>"]])
        #expect(Self.report(step)?.bus == .j1939)
    }

    @Test("An adapter without silent mode or J1939 does not join the J1939 bus")
    func notSilent() {
        for changes in [["ATCSM1": ["?\r\r>"]], ["ATSPA": ["?\r\r>"]]] as [[String: [Answer]]] {
            let (step, sent) = Self.startUp(changes)
            #expect(step == .failed(.noVehicle(.unableToConnect)))
            #expect(!sent.contains { $0.hasPrefix("ATMP") || $0 == "00FECA" })
        }
    }

    @Test("No request is sent on a bus that may not be J1939")
    func onlyListens() {
        let (step, sent) = Self.startUp([:])
        #expect(step == .failed(.noVehicle(.unableToConnect)))
        #expect(
            sent.filter { $0 != " " && $0 != "ATI" } == [
                "ATSP0", "0100", "ATSP6", "22F400", "ATSP7", "22F400", "ATCSM1", "ATSPA", "ATMPF0041", "ATMPFECA1",
            ]
        )
    }

    @Test("With J1939 configured, no J1979 request is sent, and missing broadcasts are requested")
    func configuredJ1939() throws {
        let (step, sent) = Self.startUp(["00FECA": ["18FECA0000FF00000000FFFF\r\r>"]], bus: .j1939)
        #expect(Self.report(step)?.ecus == [.j1939(0): [[0x00, 0xFE, 0xCA, 0x00, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF]]])
        #expect(sent.filter { $0 != " " && $0 != "ATI" } == ["ATSPA", "ATMPF0041", "ATMPFECA1", "00FECA"])
        #expect(Self.startUp(["00FECA": ["NO DATA\r\r>"]], bus: .j1939).step == .failed(.noVehicle(.noData)))
    }

    @Test("An adapter without J1939 is reported")
    func notSupported() {
        let step = Self.startUp(["ATSPA": ["?\r\r>"]], bus: .j1939).step
        #expect(step == .failed(.protocolNotSupported(.j1939)))
        #expect(StartUpError.protocolNotSupported(.j1939).description.contains("does not support SAE J1939"))
    }

    // MARK: - Requests to single ECUs

    private static let battery = BusRequest(
        payload: [0x21, 0x01],
        echo: [0x01],
        addressing: Addressing(header: .can11(0x79B), responder: .can11(0x7BB), setsFlowControl: true)
    )
    private static let motor = BusRequest(
        payload: [0x22, 0x11, 0x03],
        echo: [0x11, 0x03],
        addressing: Addressing(header: .can11(0x797), responder: .can11(0x79A))
    )
    private static let extended = BusRequest(
        payload: [0x22, 0x02, 0x8C],
        echo: [0x02, 0x8C],
        addressing: Addressing(header: .can29(0x17FC_007B), responder: .can29Identifier(0x17FE_007B))
    )

    @Test("A vehicle without any standard service is found by the requests that the caller knows, and all are sent")
    func manufacturer() throws {
        let (step, sent) = Self.startUp(
            ["2101": ["7BB06610102030405\r\r>"], "221103": ["NO DATA\r\r>"]],
            requests: [Self.battery, Self.motor, Self.extended]
        )
        let report = try #require(Self.report(step))
        #expect(report.bus == .can11at500)
        #expect(report.ecus == [.can11(0x7BB): [[0x61, 0x01, 2, 3, 4, 5]]])
        #expect(
            sent == [
                "ATSP0", "0100", "ATSP6", "22F400", "ATSH79B", "ATCRA7BB", "ATFCSH79B", "ATFCSD300000", "ATFCSM1",
                "2101", "ATFCSM0", "ATCRA", "ATSH7DF", "ATSH797", "ATCRA79A", "221103", "ATCRA", "ATSH7DF",
            ]
        )
    }

    @Test("A negative answer shows that the ECU is there")
    func negative() throws {
        let (step, _) = Self.startUp(
            ["0100": ["NO DATA\r\r>"], "2101": ["7BB037F2111\r\r>"]],
            bus: .can11at500,
            requests: [Self.battery]
        )
        #expect(try #require(Self.report(step)).ecus == [.can11(0x7BB): [[0x7F, 0x21, 0x11]]])
    }

    @Test("A request is sent only on a bus that has its address")
    func addresses() throws {
        let answer: [String: [Answer]] = ["22028C": ["17FE007B0462028C5A\r\r>"]]
        let (step, sent) = Self.startUp(answer, requests: [Self.extended])
        let report = try #require(Self.report(step))
        #expect(report.bus == .can29at500)
        #expect(report.ecus == [.can29Identifier(0x17FE_007B): [[0x62, 0x02, 0x8C, 0x5A]]])
        #expect(sent.prefix(8) == ["ATSP0", "0100", "ATSP6", "22F400", "ATSP7", "22F400", "ATCP17", "ATSHFC007B"])
        #expect(!Self.startUp(answer, bus: .can11at500, requests: [Self.extended]).sent.contains("22028C"))
    }

    @Test("An ECU that the adapter cannot address is left out, and silence leads to the next step of the search")
    func unreachable() throws {
        let refusing: [String: [Answer]] = ["ATSH79B": ["?\r\r>"], "221103": ["79A046211039B\r\r>"]]
        let (step, sent) = Self.startUp(refusing, requests: [Self.battery, Self.motor])
        #expect(try #require(Self.report(step)).ecus.keys.sorted() == [.can11(0x79A)])
        #expect(!sent.contains("2101"))
        let silent = Self.startUp(
            ["2101": ["NO DATA\r\r>"], "221103": ["CAN ERROR\r\r>"]],
            requests: [Self.battery, Self.motor]
        )
        #expect(silent.step == .failed(.noVehicle(.unableToConnect)))
        #expect(silent.sent.contains("ATMPFECA1"))
    }

    @Test("A search whose settings cannot be undone finds no vehicle")
    func lost() throws {
        let (step, _) = Self.startUp(
            ["2101": ["7BB06610102030405\r\r>"], "ATCRA": ["?\r\r>"], "ATAR": ["?\r\r>"]],
            requests: [Self.battery]
        )
        #expect(step == .failed(.noVehicle(.unableToConnect)))
    }

    @Test("An adapter that stops answering at any step is reported as silent")
    func silence() {
        for line in ["ATSP6", "22F400", "ATCSM1", "ATSPA", "ATMPF0041"] {
            #expect(Self.startUp([line: [.silence], " ": [.silence]]).step == .failed(.adapterSilent), "\(line)")
        }
    }
}
