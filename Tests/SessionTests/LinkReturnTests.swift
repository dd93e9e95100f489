// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Parking
import Session
import Simulator
import Synchronization
import TestSupport
import Testing

@Suite("A link that is lost and comes back", .timeLimit(.minutes(10)))
struct LinkReturnTests {
    private static let intervals: [ParameterKey: Duration] = [
        0x0C: .milliseconds(100), 0x0D: .milliseconds(200), 0x05: .seconds(1),
    ]

    /// Cuts the link as the session writes one of these lines to the adapter, and calls `cut`.
    private static func cutting(_ numbers: Set<Int>, _ cut: @escaping @Sendable () -> Void = {}) -> Rig.Watcher {
        let count = Mutex(0)
        return { _, link in
            let number = count.withLock { count in
                count += 1
                return count
            }
            guard numbers.contains(number) else { return }
            link.inject(.disconnect)
            cut()
        }
    }

    /// Returns a parameter of an ECU that needs an addressing of its own, and the intervals with it.
    private static func charge() throws -> (CustomParameter, [ParameterKey: Duration]) {
        let battery: Destination = try #require(Destination(header: .can11(0x7E4)))
        let charge = CustomParameter(
            request: try CustomRequest(payload: [0x22, 0x01, 0x01], destination: battery),
            field: Field(custom: "charge", try Formula("E/2"), range: 0...100)
        )
        return (charge, Self.intervals.merging([.custom("charge"): .milliseconds(500)]) { $1 })
    }

    /// Returns the longest time between two samples of the engine speed after the first half minute: that of the loss, or
    /// that of the codes, which are read after the first value.
    private static func gap(_ log: EventLog.Contents) -> Duration {
        let engine = ECUAddress.can11(0x7E8)
        let times = log.samples.filter { $0.value.field.name == "engine_speed" && $0.ecu == engine }.map(\.time)
        let later = times.filter { $0 - times[0] > .seconds(30) }
        return zip(later, later.dropFirst()).map { $1 - $0 }.max() ?? .zero
    }

    @Test(
        "With power all the time the adapter is not reset, and values come again within half a second",
        arguments: ["ble-30", "ble-15", "ble-7.5", "wifi", "spp", "usb"]
    )
    func quickReturn(link: String) async throws {
        let timing = try #require(LinkTiming.named(link))
        let clock = Mutex<ManualClock?>(nil)
        let loss = Mutex<MonotonicTime?>(nil)
        // No trial is under way then.
        let cutting = Self.cutting([450]) { loss.withLock { $0 = clock.withLock { $0?.now } } }
        let rig = Rig(Self.intervals, link: timing, keepsAdapter: true, watcher: cutting)
        clock.withLock { $0 = rig.clock }
        let log = try await rig.run(for: .seconds(120))
        let time = try #require(loss.withLock { $0 })
        let first = try #require(log.samples.first { $0.time > time }?.time)
        #expect(first - time <= .milliseconds(500), "\(first - time)")
        #expect(log.wrong.isEmpty)
        #expect(log.lines.count { $0 == "ATZ" } == 1 && log.lines.count { $0 == "ATI" } == 1, "\(log.lines.count)")
        #expect(log.identities.count >= 2)
        // The bitmaps of the vehicle are known: it is polled at once, and the bitmaps are asked for again in idle time.
        let back = log.lines.drop { $0 != "ATI" }
        #expect(back.prefix(3) == ["ATI", "0100", "0902"] && back.dropFirst(3).first?.hasPrefix("010C0D05") == true)
        #expect(back.contains("0120"))
        #expect(Self.gap(log) <= .milliseconds(1500), "\(Self.gap(log))")
        print("the first value over \(link) \(first - time) after the loss, the longest gap \(Self.gap(log))")
    }

    @Test(
        "A process that starts again finds its adapter as it was, and has values within half a second",
        arguments: ["ble-30", "ble-15", "ble-7.5", "wifi", "spp", "usb"]
    )
    func restart(link: String) async throws {
        let timing = try #require(LinkTiming.named(link))
        let first = Rig(Self.intervals, link: timing, keepsAdapter: true)
        // All trials are made in that time.
        let end = first.clock.now + .seconds(400)
        let before = try await first.run {
            await first.wait(until: end)
            await first.session.rest(atMost: .milliseconds(500))
        }
        #expect(before.lines.count { $0 == "ATZ" } == 1 && before.adapters.count == 1)
        let again = Rig(Self.intervals, link: timing, keepsAdapter: true, earlier: first)
        let start = again.clock.now
        let log = try await again.run(for: .seconds(120))
        let value = try #require(log.samples.first?.time)
        #expect(value - start <= .milliseconds(500), "\(value - start)")
        #expect(log.wrong.isEmpty && !log.lines.contains("ATZ"), "\(log.lines.prefix(9))")
        // Nor does it matter much if the process before was killed in the middle of a request.
        let last = Rig(Self.intervals, link: timing, keepsAdapter: true, earlier: again)
        let kill = last.clock.now
        let rest = try await last.run(for: .seconds(20))
        let late = try #require(rest.samples.first?.time)
        #expect(late - kill <= .milliseconds(900) && rest.wrong.isEmpty, "\(late - kill)")
        print("the first value over \(link) \(value - start) after a start, \(late - kill) after a kill")
        // The trials are known, and told again.
        #expect(log.adapters.count == 1 && before.adapters.count == 1 && !log.lines.contains { $0.hasPrefix("ATCRA7") })
        let verdicts = [log, before].map { $0.adapters.first?.assessments.mapValues(\.verdict) }
        #expect(verdicts[0] == verdicts[1])
    }

    @Test("A process that starts again with a low battery, or cannot read its voltage, does not use the bus unasked")
    func lowBattery() async throws {
        let first = Rig(Self.intervals, keepsAdapter: true)
        try await first.run(for: .seconds(60))
        let low = Rig(
            Self.intervals,
            keepsAdapter: true,
            earlier: first,
            parking: ParkingPolicy(minimumVoltage: 20)
        )
        let log = try await low.run(for: .seconds(20))
        #expect(log.lines.contains("ATRV") && !log.lines.contains("0100") && log.samples.isEmpty)
        let damaged = Rig(Self.intervals, keepsAdapter: true, earlier: first, tampering: ["ATRV": "1.3V\r\r>"])
        let again = try await damaged.run(for: .seconds(20))
        // Start-up has more patience.
        #expect(again.lines.first == "ATI" && again.lines.contains("ATZ"), "\(again.lines.prefix(9))")
        #expect(again.lines.firstIndex(of: "0100") ?? 0 > again.lines.firstIndex(of: "ATZ") ?? .max)
    }

    @Test("What another program has set between two processes is set back")
    func anotherProgram() async throws {
        var options = SimulatedVehicle.Options()
        options.ecus = 1
        let first = Rig(Self.intervals, vehicle: options, keepsAdapter: true)
        try await first.run(for: .seconds(60))
        for line in ["ATSH7E0", "ATCRA7E8", "ATSTFF", "ATAT0", "ATFCSH7E1", "ATFCSD300000", "ATFCSM1"] {
            try await first.aftermath.tell(line, first)
        }
        let again = Rig(Self.intervals, vehicle: options, keepsAdapter: true, earlier: first)
        let log = try await again.run(for: .seconds(60))
        #expect(!log.lines.contains("ATZ") && log.wrong.isEmpty && log.samples.count > 600, "\(log.samples.count)")
        #expect(log.identities.last?.vin?.description == options.vin)
        for line in ["ATFCSM0", "ATSH7DF", "ATAR", "ATST32", "ATAT1"] { #expect(log.lines.contains(line), "\(line)") }
    }

    @Test("A process that starts again is right on each bus", arguments: BusProtocol.allCases)
    func buses(bus: BusProtocol) async throws {
        var options = SimulatedVehicle.Options()
        options.bus = bus
        let intervals: [ParameterKey: Duration] = [0x0C: .milliseconds(500), 0x0D: .seconds(1)]
        var last: Rig?
        for number in 0..<3 {
            let rig = Rig(intervals, vehicle: options, keepsAdapter: true, earlier: last)
            let log = try await rig.run(for: .seconds(60))
            #expect(log.wrong.isEmpty && log.samples.count > 60, "\(number): \(log.samples.count)")
            #expect(log.identities.last?.vin?.description == options.vin, "\(number)")
            // J1939 has no proof.
            #expect(log.lines.contains("ATZ") == (number == 0 || bus == .j1939), "\(number): \(log.lines.prefix(9))")
            last = rig
        }
    }

    @Test("Whatever the process did as it was killed, the next one tells nothing wrong", arguments: 0..<16)
    func kill(seed: Int) async throws {
        var numbers = SeededNumbers(UInt64(seed))
        let (charge, intervals) = try Self.charge()
        let timing = try #require(LinkTiming.named(["ble-30", "wifi", "usb"][seed % 3]))
        var last: Rig?
        for _ in 0..<5 {
            let rig = Rig(intervals, link: timing, keepsAdapter: seed % 4 != 0, earlier: last, custom: [charge])
            let log = try await rig.run(for: .milliseconds(Int.random(in: 200...40_000, using: &numbers)))
            #expect(log.wrong.isEmpty, "seed \(seed): \(log.wrong.prefix(3))")
            last = rig
        }
        let rig = Rig(intervals, link: timing, keepsAdapter: seed % 4 != 0, earlier: last, custom: [charge])
        let log = try await rig.run(for: .seconds(60))
        #expect(log.wrong.isEmpty, "seed \(seed): \(log.wrong.prefix(3))")
        for ecu in [0x7E8, 0x7E9] as [UInt16] {
            #expect(log.samples.contains { $0.ecu == .can11(ecu) }, "seed \(seed): nothing of \(ecu)")
        }
        #expect(log.samples.contains { $0.value.field.name == "charge" }, "seed \(seed)")
    }

    @Test("An adapter that has lost its power meanwhile is started anew")
    func powerLost() async throws {
        let timing = try #require(LinkTiming.named("ble-30"))
        let rig = Rig(Self.intervals, link: timing, watcher: Self.cutting([900]))
        let log = try await rig.run(for: .seconds(180))
        #expect(log.wrong.isEmpty)
        #expect(log.lines.count { $0 == "ATZ" } == 2 && log.lines.count { $0 == "ATI" } == 1)
        #expect(Self.gap(log) <= .seconds(5), "\(Self.gap(log))")
    }

    @Test("Whatever the session does as its link is lost, nothing wrong is told afterwards", arguments: 0..<60)
    func anywhere(seed: Int) async throws {
        var numbers = SeededNumbers(UInt64(seed))
        var cuts: Set<Int> = []
        for _ in 0..<6 { cuts.insert(.random(in: 30...1500, using: &numbers)) }
        let (charge, intervals) = try Self.charge()
        let timing = try #require(LinkTiming.named(["ble-30", "wifi", "usb"][seed % 3]))
        let rig = Rig(
            intervals,
            link: timing,
            keepsAdapter: seed % 4 != 0,
            custom: [charge],
            watcher: Self.cutting(cuts)
        )
        let log = try await rig.run(for: .seconds(240))
        #expect(log.wrong.isEmpty, "seed \(seed): \(log.wrong.prefix(3))")
        // All ECUs and the custom parameter are read again after the last loss.
        let last = try #require(log.samples.last?.time)
        let tail = log.samples.filter { last - $0.time < .seconds(20) }
        for ecu in [0x7E8, 0x7E9] as [UInt16] {
            #expect(tail.contains { $0.ecu == .can11(ecu) }, "seed \(seed): nothing of \(ecu)")
        }
        #expect(tail.contains { $0.value.field.name == "charge" }, "seed \(seed)")
    }
}
