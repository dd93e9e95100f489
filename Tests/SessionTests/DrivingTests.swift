// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import Synchronization
import Testing

@Suite("A session with a vehicle that drives", .timeLimit(.minutes(10)))
struct DrivingTests {
    static let engine = ECUAddress.can11(0x7E8)
    static let transmission = ECUAddress.can11(0x7E9)

    @Test("A day of driving: every sample is what the vehicle had")
    func day() async throws {
        let rig = Rig([
            0x0C: .seconds(5), 0x0D: .seconds(5), 0x05: .seconds(60), 0xA6: .seconds(300), 0x0A: .seconds(60),
        ])
        let log = try await rig.run(for: .seconds(86_400))
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        #expect(log.states.filter { if case .connected = $0 { true } else { false } }.count == 1)
        #expect(log.dropped == 0)
        let speeds = log.samples.filter { $0.value.field.name == "vehicle_speed" }
        #expect((17_000...17_281).contains(speeds.count))
        #expect(log.samples.filter { $0.value.field.name == "coolant_temperature" }.count >= 1400)
        #expect(log.samples.filter { $0.value.field.name == "odometer" }.count >= 280)
        #expect(Set(log.samples.map(\.ecu)) == [Self.engine, Self.transmission])
        #expect(Set(speeds.map(\.value.value)).count > 50)
        // The session never requests a PID that the vehicle does not support.
        #expect(!log.lines.contains("010A"))
        #expect(await rig.session.unsupported.isEmpty)
    }

    @Test("The vehicle is identified before anything is polled; its codes are read after the first sample")
    func order() async throws {
        var options = SimulatedVehicle.Options()
        options.codes = [DTC(rawValue: 0x0301), DTC(rawValue: 0x0700)]
        options.pendingCodes = [DTC(rawValue: 0x0420)]
        options.permanentCodes = [DTC(rawValue: 0x0301)]
        let log = try await Rig(vehicle: options).run(for: .seconds(120))
        let identity = try #require(log.identities.last)
        #expect(identity.vin?.description == options.vin)
        #expect(identity.primary == Self.engine && identity.layout == .can)
        #expect(identity.ecus[Self.engine]?.calibrationIDs == ["SIM16MPI00420A"])
        #expect(identity.ecus[Self.transmission]?.name?.acronym == "TCM")
        #expect(identity.ecus[Self.engine]?.calibrationVerificationNumbers == ["1791BC82"])
        #expect(identity.supports(0xA6) && identity.supports(0xA4) && !identity.supports(0x0A))
        let reading = try #require(log.readings.first)
        #expect(Set(log.readings.map(\.time)).count == 1 && reading.isKnown)
        #expect(
            reading.states[Self.engine] == [
                .j2012(DTC(rawValue: 0x0301)): [.stored, .permanent], .j2012(DTC(rawValue: 0x0420)): [.pending],
            ]
        )
        #expect(reading.states[Self.transmission] == [.j2012(DTC(rawValue: 0x0700)): [.stored]])
        #expect(reading.monitors[Self.engine]?.mil == true && reading.monitors[Self.transmission]?.codeCount == 1)
        let polls = ["0105", "010C", "010D"]
        let polled = try #require(log.lines.firstIndex(where: polls.contains))
        #expect(try #require(log.lines.firstIndex(of: "0902")) < polled)
        let second = try #require(log.lines[(polled + 1)...].firstIndex { polls.contains($0) })
        for line in ["ATAT1", "ATCAF1", "ATCFC1", "0101", "03", "07", "0A", "0120", "0140"] {
            #expect((polled..<second).contains(try #require(log.lines.firstIndex(of: line))), "\(line)")
        }
        #expect(log.lines[..<polled].count(where: { $0 == "0902" }) == 1)
    }

    @Test("Every bus of J1979 is driven the same way", arguments: BusProtocol.allCases.filter { $0 != .j1939 })
    func buses(bus: BusProtocol) async throws {
        var options = SimulatedVehicle.Options()
        options.bus = bus
        options.codes = [DTC(rawValue: 0x0301)]
        let log = try await Rig(vehicle: options).run(for: .seconds(60))
        #expect(log.identities.last?.bus == bus)
        #expect(log.identities.last?.vin?.description == options.vin)
        #expect(log.readings.last?.isKnown == true)
        #expect(log.readings.last?.states.values.flatMap(\.keys) == [.j2012(DTC(rawValue: 0x0301))])
        #expect(log.samples.count > 50)
        #expect(log.wrong.isEmpty)
    }

    @Test("An interval is kept on average, to a hundredth")
    func interval() async throws {
        let log = try await Rig([0x0C: .milliseconds(700), 0x05: .seconds(3)]).run(for: .seconds(700))
        let rpm = log.samples.count(where: { $0.ecu == Self.engine && $0.value.field.name == "engine_speed" })
        #expect((985...1001).contains(rpm))
    }

    @Test("A code that appears is seen within the watch's interval")
    func newCode() async throws {
        let code = DTC(rawValue: 0x0171)
        let rig = Rig()
        let log = try await rig.run {
            await rig.firstSamples()
            rig.log.vehicle.withVehicle { $0.confirm(code, at: rig.clock.now) }
            let appeared = rig.clock.now
            for await event in rig.events {
                guard case .codes(let reading) = event else { continue }
                #expect(reading.time - appeared <= .seconds(17))
                return
            }
        }
        #expect(log.readings.last?.states[Self.engine] == [.j2012(code): [.stored]])
        #expect(log.monitors.last?[Self.engine]?.mil == true)
    }
}
