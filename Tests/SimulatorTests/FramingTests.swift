// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Testing

@testable import Simulator

@Suite("The framing of replies on every bus")
struct FramingTests {
    /// The replies of engine and transmission to 0100.
    private static let engine = "41 00 BE 3F B8 13"
    private static let transmission = "41 00 80 10 00 01"

    @Test(
        "Every bus has its own header and trailer",
        arguments: [
            (BusProtocol.can11at500, "7E8 06 \(engine) ", "7E9 06 \(transmission) "),
            (.can11at250, "7E8 06 \(engine) ", "7E9 06 \(transmission) "),
            (.can29at500, "18 DA F1 10 06 \(engine) ", "18 DA F1 18 06 \(transmission) "),
            (.can29at250, "18 DA F1 10 06 \(engine) ", "18 DA F1 18 06 \(transmission) "),
            (.j1850PWM, "41 6B 10 \(engine) 25 ", "41 6B 18 \(transmission) 7E "),
            (.j1850VPW, "48 6B 10 \(engine) 4F ", "48 6B 18 \(transmission) 14 "),
            (.iso9141, "48 6B 10 \(engine) CC ", "48 6B 18 \(transmission) 9D "),
            (.kwp5Baud, "86 F1 10 \(engine) 90 ", "86 F1 18 \(transmission) 61 "),
            (.kwpFast, "86 F1 10 \(engine) 90 ", "86 F1 18 \(transmission) 61 "),
        ]
    )
    func supportedPIDs(bus: BusProtocol, engine: String, transmission: String) {
        var bench = Bench.ready(bus, ["ATH1"])
        #expect(bench.lines("0100") == [engine, transmission])
        _ = bench.send("ATH0\r")
        #expect(bench.lines("0100") == ["\(Self.engine) ", "\(Self.transmission) "])
    }

    @Test(
        "The checksum of a line is that of known examples",
        arguments: [
            (BusProtocol.j1850PWM, [0x41, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11], 0x90),
            (.j1850VPW, [0x48, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11], 0xFA),
            (.iso9141, [0x48, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11], 0xC9),
            (.kwpFast, [0x86, 0xF1, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11], 0x8D),
        ] as [(BusProtocol, [UInt8], UInt8)]
    )
    func trailer(bus: BusProtocol, message: [UInt8], trailer: UInt8) {
        #expect(bus.checksum(of: message) == trailer)
    }

    @Test("A VIN on CAN has three frames, with and without headers, with and without blanks")
    func vinOnCAN() {
        var bench = Bench.ready { $0.vin = "1D4GP00R55B123456" }
        #expect(
            bench.lines("0902") == [
                "014", "0: 49 02 01 31 44 34 ", "1: 47 50 30 30 52 35 35 ", "2: 42 31 32 33 34 35 36 ",
            ]
        )
        _ = bench.send("ATS0\r")
        #expect(bench.lines("0902") == ["014", "0:490201314434", "1:47503030523535", "2:42313233343536"])
        _ = bench.send("ATH1\r")
        #expect(bench.lines("0902") == ["7E81014490201314434", "7E82147503030523535", "7E82242313233343536"])
        _ = bench.send("ATD1\r")
        #expect(bench.lines("0902").first == "7E881014490201314434")
    }

    @Test("A VIN on the older buses has five messages")
    func vinOnOlderBuses() {
        var bench = Bench.ready(.iso9141) { $0.vin = "1D4GP00R55B123456" }
        #expect(
            bench.lines("0902") == [
                "49 02 01 00 00 00 31 ", "49 02 02 44 34 47 50 ", "49 02 03 30 30 52 35 ", "49 02 04 35 42 31 32 ",
                "49 02 05 33 34 35 36 ",
            ]
        )
    }

    @Test("Codes on CAN follow their count; on older buses each message has three")
    func codes() {
        let codes = ["P0301", "P0420", "U0158", "P0171", "P0741"]
        var can = Bench.ready(.can11at500, ["ATH1", "ATS0"], codes: codes)
        #expect(can.lines("03") == ["7E8100A430403010420", "7E821C1580171", "7E90443010741"])
        var older = Bench.ready(.j1850VPW, ["ATS0"], codes: codes)
        #expect(older.lines("03") == ["4303010420C158", "43074100000000", "43017100000000"])
        var none = Bench.ready(.can11at500)
        #expect(none.lines("03") == ["43 00 ", "43 00 "])
        #expect(none.lines("07") == ["47 00 ", "47 00 "])
        #expect(none.lines("0A") == ["4A 00 ", "4A 00 "])
        var noneOlder = Bench.ready(.kwpFast)
        #expect(noneOlder.lines("03") == ["43 00 00 00 00 00 00 ", "43 00 00 00 00 00 00 "])
    }

    @Test("Padding fills the last frame, and only raw frames show it")
    func padding() {
        var bench = Bench.ready { $0.padding = 0xAA }
        #expect(bench.lines("0904").contains("2: 34 32 30 41 00 00 AA "))
        #expect(bench.lines("010D1").first?.split(separator: " ").count == 3)
        _ = bench.send("ATH1\r")
        #expect(bench.lines("010D1").first?.hasSuffix(" AA AA AA AA ") == true)
    }

    @Test("Several parameters are answered in one message, without the unsupported ones")
    func severalParameters() {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0", "ATSH7E0"], at: .seconds(630))
        // The engine is off; 52 is not supported.
        #expect(bench.lines("010C0D5211") == ["7E81008410C00000D00", "7E8211124"])
    }

    @Test("On buses older than CAN a request has one parameter")
    func oneParameter() {
        var bench = Bench.ready(.iso9141)
        #expect(bench.lines("010C0D") == ["NO DATA"])
    }

    @Test("A count digit ends the wait at once, and cuts off further frames")
    func countDigit() {
        var bench = Bench.ready(.can11at500, ["ATAT0", "ATS0"])
        let start = bench.time
        #expect(bench.lines("01001") == ["4100BE3FB813"])
        let counted = bench.time - start
        #expect(counted < .milliseconds(15))
        // The transmission answers after the adapter has stopped waiting.
        bench.time = bench.time + .milliseconds(20)
        #expect(bench.lines("09021") == ["014", "0:4902015A5A5A"])
        // The remaining frames are still on their way on the bus.
        bench.time = bench.time + .milliseconds(5)
        #expect(bench.lines("09023").count == 4)
        let before = bench.time
        #expect(bench.lines("0100").count == 2)
        #expect(bench.time - before > .milliseconds(200))
    }

    @Test("Adaptive timing shortens the wait without losing the slower ECU")
    func adaptiveTiming() {
        var bench = Bench.ready(.can11at500, ["ATAT1"])
        let start = bench.time
        #expect(bench.lines("0100").count == 2)
        #expect(bench.time - start < .milliseconds(120))
    }

    @Test("A timeout that is too short loses the answer")
    func shortWait() {
        var bench = Bench.ready(.can11at500, ["ATAT0"])
        _ = bench.send("ATST02\r")
        #expect(bench.lines("0100") == ["NO DATA"])
    }

    @Test("Without flow control only the first frame arrives")
    func noFlowControl() {
        var bench = Bench.ready(.can11at500, ["ATCFC0", "ATS0"])
        #expect(bench.lines("0902") == ["014", "0:4902015A5A5A"])
    }

    @Test("Without formatting the client encodes and decodes the frames itself")
    func noFormatting() {
        var bench = Bench.ready(.can11at500, ["ATS0"])
        _ = bench.send("ATCAF0\r")
        #expect(bench.lines("0100") == ["NO DATA"])
        #expect(bench.lines("0201001") == ["064100BE3FB813"])
    }

    @Test("A physical header addresses one ECU, which refuses an unsupported request")
    func physical() {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0", "ATSH7E1"])
        #expect(bench.lines("0100") == ["7E906410080100001"])
        #expect(bench.lines("0105") == ["7E9037F0112"])
        #expect(bench.lines("22F190") == ["7E9037F2211"])
        _ = bench.send("ATSH7E5\r")
        #expect(bench.lines("0100") == ["NO DATA"])
        _ = bench.send("ATSH7DF\r")
        #expect(bench.lines("0152") == ["NO DATA"])
        var extended = Bench.ready(.can29at500, ["ATH1", "ATS0", "ATSHDA18F1"])
        #expect(extended.lines("0100") == ["18DAF11806410080100001"])
    }

    @Test("On KWP an ECU refuses an unsupported functional request, too")
    func kwpNegative() {
        var bench = Bench.ready(.kwpFast, ["ATH1"])
        #expect(bench.lines("0152") == ["83 F1 10 7F 01 12 16 "])
    }

    @Test("A receive address passes the frames of one ECU")
    func receiveAddress() {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0", "ATCRA7E9"])
        #expect(bench.lines("0100") == ["7E906410080100001"])
        _ = bench.send("ATCRA7EX\r")
        #expect(bench.lines("0100").count == 2)
        _ = bench.send("ATCRA\r")
        #expect(bench.lines("0100").count == 2)
    }

    @Test("A slow response is announced by 7F 09 78")
    func responsePending() {
        var bench = Bench.ready(.can11at500, ["ATH1", "ATS0", "ATSH7E0"]) { $0.delaysVerificationNumbers = true }
        #expect(bench.lines("0906") == ["7E8037F0978", "7E8074906011791BC82"])
    }
}

@Suite("The search for the bus")
struct ConnectionTests {
    @Test(
        "A search finds any bus of J1979, and its result survives a reset",
        arguments: BusProtocol.allCases.filter { $0 != .j1939 }
    )
    func search(bus: BusProtocol) {
        var bench = Bench(bus, at: .seconds(60))
        _ = bench.send("ATE0\r")
        _ = bench.send("ATSP0\r")
        let lines = bench.lines("0100")
        #expect(lines.first == "SEARCHING...")
        #expect(lines.dropFirst().first?.hasPrefix("41 00 BE 3F B8 13") == true)
        #expect(bench.lines("ATDPN") == ["A\(bus.number)"])
        #expect(bench.lines("ATDP") == ["AUTO, \(bus.title)"])
        #expect(bench.lines("0100").first?.hasPrefix("41 00") == true)
        _ = bench.send("ATZ\r")
        _ = bench.send("ATE0\r")
        #expect(bench.lines("ATDPN") == ["A\(bus.number)"])
    }

    @Test("With the ignition off a search fails after more than five seconds")
    func failedSearch() {
        var bench = Bench(at: .zero) {
            $0.parking = .seconds(600)
            $0.pause = .zero
        }
        bench.time = MonotonicTime(sinceBoot: .seconds(700))
        _ = bench.send("ATE0\r")
        let start = bench.time
        #expect(bench.lines("0100") == ["SEARCHING...", "UNABLE TO CONNECT"])
        #expect(bench.time - start > .seconds(5))
        #expect(bench.lines("ATDPN") == ["A0"])
        #expect(bench.lines("ATIGN") == ["OFF"])
    }

    @Test("With the ignition off there is no data")
    func ignitionOff() {
        var bench = Bench.ready()
        bench.vehicle.isParked = true
        #expect(bench.lines("0100") == ["NO DATA"])
        bench.vehicle.isParked = false
        #expect(bench.lines("0100").count == 2)
    }

    @Test(
        "The wrong protocol fails as it does on a real adapter",
        arguments: [
            ("6", BusProtocol.can11at250, ["CAN ERROR"]), ("6", .can29at500, ["NO DATA"]),
            ("6", .iso9141, ["CAN ERROR"]), ("1", .can11at500, ["NO DATA"]),
            ("3", .can11at500, ["BUS INIT: ...ERROR"]), ("5", .iso9141, ["BUS INIT: ERROR"]),
            ("A", .can11at500, ["CAN ERROR"]),
        ]
    )
    func wrongProtocol(number: String, bus: BusProtocol, reply: [String]) {
        var bench = Bench(bus)
        _ = bench.send("ATE0\r")
        _ = bench.send("ATSP\(number)\r")
        #expect(bench.lines("0100") == reply)
    }

    @Test("A K-line is initialized before the first request only")
    func initialization() {
        var bench = Bench(.kwp5Baud)
        _ = bench.send("ATE0\r")
        _ = bench.send("ATSP4\r")
        let lines = bench.lines("0100")
        #expect(lines.first == "BUS INIT: ...OK")
        #expect(lines.count == 3)
        #expect(bench.lines("0100").count == 2)
        #expect(bench.lines("ATKW") == ["1:8F 2:E9"])
    }
}
