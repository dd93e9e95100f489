// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CANBus
import ELM327
import Testing

struct CANStartUpTests {
    private static let engine = ECUAddress.can11(0x7E8)

    /// Runs a start-up in which some requests are answered, and returns what was asked and how it ended.
    private static func run(
        bitRate: UInt32? = 500_000,
        bus: BusProtocol? = nil,
        requests: [BusRequest] = [],
        answers: (BusRequest, BusProtocol) -> BusOutcome
    ) -> (asked: [String], end: CANStartUp.Step) {
        var startUp = CANStartUp(name: "can0", bitRate: bitRate, bus: bus, requests: requests)
        var step = startUp.begin()
        var asked: [String] = []
        while asked.count < 50 {
            let (request, bus): (BusRequest, BusProtocol)
            switch step {
            case .ask(let asked, let on): (request, bus) = (asked, on)
            case .listen(let heard): (request, bus) = (heard, .j1939)
            case .finished, .failed: return (asked, step)
            }
            let payload = request.payload.map { String($0, radix: 16) }.joined(separator: " ")
            let isHeard = if case .listen = step { true } else { false }
            asked.append(isHeard ? "listened for \(payload)" : "\(payload) on \(bus.number)")
            step = startUp.answered(BusResult(outcome: answers(request, bus), dropped: 0))
        }
        return (asked, step)
    }

    @Test("ECUs are asked with 11 bits, and then with 29, at the bit rate of the interface")
    func widths() throws {
        let result = Self.run(bitRate: 250_000) { _, bus in
            bus == .can29at250 ? .answered([.can29(0x10): .positive([[0x41, 0, 1, 2, 3, 4]])]) : .noData
        }
        #expect(result.asked == ["1 0 on 8", "1 0 on 9"])
        guard case .finished(let report) = result.end else { throw Unfinished() }
        #expect(report.bus == .can29at250)
        #expect(report.ecus == [.can29(0x10): [[0x41, 0, 1, 2, 3, 4]]])
        #expect(report.identity == "SocketCAN can0")
        #expect(report.works(.multiplePIDs) && !report.works(.voltage))
    }

    @Test("Without an answer, J1979-2 and then single ECUs are asked, whose refusals count too")
    func dialects() throws {
        let own = BusRequest(payload: [0x22, 1, 1], echo: [1, 1], addressing: .ecu(0x7E4))
        let result = Self.run(bus: .can11at500, requests: [own]) { request, _ in
            request == own ? .answered([.can11(0x7EC): .negative(0x31)]) : .noData
        }
        #expect(result.asked == ["1 0 on 6", "22 f4 0 on 6", "22 1 1 on 6"])
        guard case .finished(let report) = result.end else { throw Unfinished() }
        #expect(report.ecus == [.can11(0x7EC): [[0x7F, 0x22, 0x31]]])
    }

    @Test("A silent vehicle, a bus that cannot be used, and a protocol that is not CAN end the start-up")
    func failures() {
        #expect(Self.run { _, _ in .noData }.end == .failed(.noVehicle(.noData)))
        let busy = Self.run { _, _ in .busUnavailable(.busBusy) }
        #expect(busy.asked.count == 1)
        #expect(busy.end == .failed(.noVehicle(.busBusy)))
        #expect(Self.run(bus: .kwpFast) { _, _ in .noData }.end == .failed(.protocolNotSupported(.kwpFast)))
    }

    @Test("J1939 is listened for last, and requested only if it is configured")
    func j1939() throws {
        let everywhere = Self.run { _, _ in .noData }
        #expect(everywhere.asked.suffix(2) == ["listened for 0 f0 4", "listened for 0 fe ca"])
        #expect(everywhere.end == .failed(.noVehicle(.noData)))
        let configured = Self.run(bitRate: 250_000, bus: .j1939) { request, _ in
            request.listening == nil ? .answered([.j1939(0): .positive([[0x00, 0xFE, 0xCA, 0, 0xFF]])]) : .noData
        }
        #expect(configured.asked == ["listened for 0 f0 4", "listened for 0 fe ca", "0 fe ca on A"])
        guard case .finished(let report) = configured.end else { throw Unfinished() }
        #expect(report.bus == .j1939 && report.ecus.keys.sorted() == [.j1939(0)])
        let heard = Self.run { request, _ in
            request.group == 0xF004 && request.listening != nil
                ? .answered([.j1939(0): .positive([[0x00, 0xF0, 0x04] + [UInt8](repeating: 0xFF, count: 8)])]) : .noData
        }
        #expect(heard.asked.last == "listened for 0 f0 4")
        guard case .finished = heard.end else { throw Unfinished() }
    }

    private struct Unfinished: Error {}
}

struct TrafficWatchTests {
    private static let start = MonotonicTime(sinceBoot: .seconds(10))

    @Test("A frame shows traffic at once, and silence only after the whole time")
    func traffic() {
        var watch = TrafficWatch(from: Self.start)
        #expect(watch.deadline(at: Self.start) == Self.start + TrafficWatch.duration)
        #expect(watch.deadline(at: Self.start + TrafficWatch.duration) == nil)
        #expect(watch.verdict == .silent)
        watch.frameReceived()
        #expect(watch.verdict == .traffic)
        #expect(watch.deadline(at: Self.start) == nil)
    }

    @Test("Errors without a frame show another bit rate; a single one, or one after a frame, does not")
    func bitRate() {
        var watch = TrafficWatch(from: Self.start)
        for _ in 0..<2 { watch.faultReported(.violation) }
        #expect(watch.verdict == .silent)
        watch.faultReported(.violation)
        #expect(watch.verdict == .otherBitRate)
        watch.frameReceived()
        for _ in 0..<9 { watch.faultReported(.violation) }
        #expect(watch.verdict == .traffic)
    }
}

struct CANRouteTests {
    @Test("The identifiers of requests and replies, with 11 and 29 bits, extended addresses, and broadcasts")
    func routes() throws {
        let all = try #require(CANRoute(nil, on: .can29at500))
        #expect(all.transmit == 0x18DB_33F1 && all.isFunctional && all.responder == nil)
        let one = Addressing(header: .can29(0x18DA_10F1), responder: nil)
        let physical = try #require(CANRoute(one, on: .can29at250))
        #expect(physical.responder?.identifier == 0x18DA_F110 && physical.responder?.ecu == .can29(0x10))
        #expect(!physical.isFunctional)
        let own = Addressing(header: .can29(0x17FC_0076), responder: .can29Identifier(0x17FE_0076))
        #expect(try #require(CANRoute(own, on: .can29at500)).responder?.ecu == .can29Identifier(0x17FE_0076))
        let address = Addressing.Extension(request: 0x12, reply: 0xF1)
        let extended = Addressing(header: .can11(0x6F1), responder: .can11(0x612), addressExtension: address)
        #expect(try #require(CANRoute(extended, on: .can11at500)).addressExtension == address)
        let broadcast = Addressing(header: .can11(0x7DF), responder: .can11(0x7EC), wait: 0xFF)
        let route = try #require(CANRoute(broadcast, on: .can11at500))
        #expect(route.isFunctional && route.responder?.identifier == 0x7EC)
        #expect(route.wait == .microseconds(1_044_480))
        #expect(CANRoute(extended, on: .can29at500) == nil)
        #expect(CANRoute(nil, on: .kwpFast) == nil)
        #expect(CANRoute.request(to: 0x7EC, isExtended: false) == 0x7E4)
        #expect(CANRoute.request(to: 0x18DA_F128, isExtended: true) == 0x18DA_28F1)
    }
}
