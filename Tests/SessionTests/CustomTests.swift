// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import Synchronization
import TestSupport
import Testing

@Suite("Custom parameters among the others", .timeLimit(.minutes(10)))
struct CustomTests {
    private static func parameter(
        _ name: String,
        _ payload: [UInt8],
        _ destination: Destination?,
        _ formula: String,
        _ range: ClosedRange<Double> = -10_000...10_000
    ) throws -> CustomParameter {
        let destination: Destination = try #require(destination)
        return CustomParameter(
            request: try CustomRequest(payload: payload, destination: destination),
            field: Field(custom: name, try Formula(formula), range: range)
        )
    }

    /// Returns parameters of the simulated vehicle, at least one for each kind of addressing.
    private static func parameters(extended: Bool = false) throws -> [CustomParameter] {
        let battery = Destination(header: extended ? .can29(0x18DA_40F1) : .can11(0x7E4))
        let tyres = Destination(header: extended ? .can29(0x18DA_C0F1) : .can11(0x7A0), setsFlowControl: true)
        let gateway =
            extended
            ? Destination(header: .can29(0x17FC_0076), responder: .can29(0x17FE_0076))
            : Destination(
                header: .can11(0x6F1),
                responder: .can11(0x607),
                extendedAddress: 0x07,
                setsFlowControl: true,
                timeout: .milliseconds(400)
            )
        return [
            try Self.parameter("charge", [0x22, 0x01, 0x01], battery, "E/2"),
            try Self.parameter("current", [0x22, 0x01, 0x01], battery, "int16(F, G)/10"),
            try Self.parameter("temperature", [0x22, 0x01, 0x01], battery, "signed(H)"),
            try Self.parameter("tyre", [0x22, 0xC0, 0x0B], tyres, "C/4"),
            try Self.parameter("gateway_charge", [0x22, 0xDD, 0xBC], gateway, "uint16(A, B)/10"),
            try Self.parameter("gateway_speed", [0x21, 0x30], gateway, "A*0 + uint16(U, V)"),
        ]
    }

    private static let intervals: [ParameterKey: Duration] = [
        0x0C: .milliseconds(500), 0x0D: .seconds(1), 0x05: .seconds(10), .custom("charge"): .seconds(5),
        .custom("current"): .seconds(2), .custom("temperature"): .seconds(10), .custom("tyre"): .seconds(5),
        .custom("gateway_charge"): .seconds(5), .custom("gateway_speed"): .seconds(5),
    ]

    /// Runs the session for `duration`, and returns the log and the unsupported parameters at the end.
    private static func run(
        _ rig: Rig,
        for duration: Duration
    ) async throws -> (log: EventLog.Contents, unsupported: [ParameterKey]) {
        let unsupported = Mutex<[ParameterKey]>([])
        let end = rig.clock.now + duration
        let log = try await rig.run {
            for await _ in rig.events where rig.clock.now >= end { break }
            let keys = await rig.session.unsupported
            unsupported.withLock { $0 = keys }
        }
        return (log, unsupported.withLock { $0 })
    }

    @Test("An hour of both: every value is what the vehicle had", arguments: [BusProtocol.can11at500, .can29at500])
    func hour(bus: BusProtocol) async throws {
        var options = SimulatedVehicle.Options()
        options.bus = bus
        let custom = try Self.parameters(extended: bus == .can29at500)
        let rig = Rig(Self.intervals, vehicle: options, custom: custom)
        let log = try await rig.run(for: .seconds(3600))
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        #expect(log.dropped == 0 && log.refusals.isEmpty)
        #expect(log.states.filter { if case .connected = $0 { true } else { false } }.count == 1)
        let counts = Dictionary(log.samples.map { ($0.value.field.name, 1) }, uniquingKeysWith: +)
        // Parameters of one reply are all read at the shortest of their intervals.
        for (name, count) in [("charge", 1800), ("current", 1800), ("tyre", 720), ("gateway_speed", 720)] {
            #expect((count * 9 / 10...count * 11 / 10).contains(counts[name] ?? 0), "\(name): \(counts[name] ?? 0)")
        }
        #expect(counts["engine_speed"] ?? 0 > 6000)
        // Three values of one reply cost one request.
        #expect(log.lines.count { $0 == "220101" } < 2100)
        // ECUs of custom parameters do not count as OBD ECUs of the vehicle.
        #expect(log.identities.allSatisfy { $0.ecus.count <= 2 })
        #expect(log.samples.filter(\.isAddressed).allSatisfy { custom.map(\.name).contains($0.value.field.name) })
        // The session sends the requests to one destination together.
        let turns = log.lines.count { $0 == (bus == .can11at500 ? "ATSH6F1" : "ATSHFC0076") }
        #expect(turns < 900, "\(turns)")
    }

    @Test("Whatever the adapter and the bus do wrong, no value is", .serialized, arguments: 0..<3)
    func faults(seed: UInt64) async throws {
        let numbers = Mutex(SeededNumbers(seed))
        let faults: [InjectedFault] = [
            .garbage, .truncated, .lateReply(to: [0x01, 0x0D]), .lateReply(to: [0x22, 0x01, 0x01]), .promptMissing,
            .duplicatedLines, .noData, .negative(0x11), .stopped, .lowVoltageReset, .silence, .slowBytes,
        ]
        let rig = Rig(Self.intervals, custom: try Self.parameters()) { line, link in
            numbers.withLock { numbers in
                guard Int.random(in: 0..<40, using: &numbers) == 0 else { return }
                link.inject(faults.randomElement(using: &numbers) ?? .garbage)
            }
        }
        let log = try await rig.run(for: .seconds(1800))
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        #expect(log.samples.count { $0.isAddressed } > 300)
        #expect(log.samples.count { !$0.isAddressed } > 300)
    }

    @Test("A command that the adapter does not know makes what needs it unsupported, said once, and nothing else")
    func refused() async throws {
        let rig = Rig(Self.intervals, custom: try Self.parameters(), tampering: ["ATCEA07": "?\r\r>"])
        let (log, unsupported) = try await Self.run(rig, for: .seconds(300))
        #expect(log.wrong.isEmpty)
        #expect(log.refusals.map(\.line) == ["ATCEA07"])
        #expect(log.refusals.first?.parameters == ["gateway_charge", "gateway_speed"])
        #expect(log.lines.count { $0 == "ATCEA07" } == 2)
        #expect(unsupported == [.custom("gateway_charge"), .custom("gateway_speed")])
        #expect(log.samples.count { $0.value.field.name == "tyre" } > 50)
        #expect(log.samples.count { $0.value.field.name == "engine_speed" } > 500)
        #expect(log.states.filter { if case .connected = $0 { true } else { false } }.count == 1)
    }

    @Test(
        "An adapter that says OK and does nothing never makes a value wrong, nor the others silent",
        arguments: [
            "ATSH7E4", "ATSH7A0", "ATSH6F1", "ATSH7DF", "ATCRA7A8", "ATCRA607", "ATCRA", "ATCEA07", "ATCEA",
            "ATFCSM1", "ATFCSM0", "ATFCSD300000", "ATST62", "ATST32",
        ]
    )
    func ignored(line: String) async throws {
        let rig = Rig(Self.intervals, custom: try Self.parameters(), tampering: [line: "OK\r\r>"])
        let log = try await rig.run(for: .seconds(300))
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        let recent = log.samples.filter { $0.time.sinceBoot > .seconds(250) }
        #expect(recent.count { $0.value.field.name == "engine_speed" } > 150, "\(line)")
        #expect(Set(recent.filter { $0.value.field.name == "coolant_temperature" }.map(\.ecu)).count >= 1)
        #expect(log.states.count { if case .connected = $0 { true } else { false } } <= 8, "\(line)")
    }

    @Test(
        "A restore that is refused or silent brings the adapter up anew before anything else is asked",
        arguments: ["?\r\r>", ""]
    )
    func notRestored(answer: String) async throws {
        let rig = Rig(
            [0x0C: .seconds(1), .custom("tyre"): .seconds(5)],
            custom: try Self.parameters(),
            tampering: ["ATCRA": answer, "ATAR": answer]
        )
        let (log, unsupported) = try await Self.run(rig, for: .seconds(300))
        #expect(log.wrong.isEmpty)
        for (index, line) in log.lines.enumerated() where line == "ATCRA7A8" {
            let after = log.lines[index...].drop { $0 != "ATCRA" }.first { !["ATCRA", "ATAR", " "].contains($0) }
            #expect(after == "ATZ", "\(after ?? "")")
        }
        // The session gives the parameter up after the second failure.
        #expect(log.lines.count { $0 == "ATCRA7A8" } == 2)
        #expect(unsupported == [.custom("tyre")])
        let recent = log.samples.filter { $0.time.sinceBoot > .seconds(250) }
        #expect(recent.count { $0.value.field.name == "engine_speed" } > 100)
    }

    @Test("One on another kind of bus is never asked")
    func otherBus() async throws {
        let rig = Rig(Self.intervals, custom: try Self.parameters(extended: true))
        let (log, unsupported) = try await Self.run(rig, for: .seconds(60))
        #expect(!log.lines.contains { $0.hasPrefix("22") || $0.hasPrefix("ATCP") || $0 == "ATSHDA40F1" })
        #expect(unsupported.count == 6)
    }

    @Test("A lease reads one, and what follows is asked of everybody")
    func lease() async throws {
        let rig = Rig([0x0C: .seconds(1)], custom: try Self.parameters())
        let log = try await rig.run {
            await rig.firstSamples()
            let values = try await rig.session.withBus { bus throws(SessionError) in
                let values = try await bus.read(.custom("charge")).values
                _ = try await bus.ask(.currentData(0x2F))
                return values
            }
            #expect(values.keys.map(\.description) == ["7EC"])
        }
        let asked = try #require(log.lines.firstIndex(of: "220101"))
        #expect(log.lines[(asked + 1)...].prefix(3) == ["ATSH7DF", "0100", "012F"])
    }
}
