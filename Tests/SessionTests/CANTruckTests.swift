// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import SocketCAN
import Synchronization
import Testing

@Suite("A session with a vehicle of J1939 over CAN", .timeLimit(.minutes(10)))
struct CANTruckTests {
    private static let intervals: [ParameterKey: Duration] = [0x0C: .seconds(2), 0x0D: .seconds(2), 0x05: .seconds(10)]
    private static let engine = ECUAddress.j1939(0)
    private static let transmission = ECUAddress.j1939(3)

    private static var truck: SimulatedVehicle.Options {
        var options = SimulatedVehicle.Options()
        options.bus = .j1939
        options.activeJ1939Codes = [.init(spn: 110, fmi: 0, occurrences: 3), .init(spn: 3226, fmi: 4)]
        options.pendingJ1939Codes = [.init(spn: 157, fmi: 18)]
        return options
    }

    private static func rig(
        _ bus: BusProtocol?,
        lossInterval: Int? = nil,
        _ options: SimulatedVehicle.Options = truck
    ) -> CANRig {
        var conditions = SimulatedPort.Conditions()
        conditions.details.bitRate = 250_000
        conditions.groupLossInterval = lossInterval
        return CANRig(options, conditions: conditions, protocol: bus, intervals: Self.intervals)
    }

    @Test(
        "A truck is identified, polled by listening, and its codes are read",
        arguments: [nil, .j1939] as [BusProtocol?]
    )
    func reading(bus: BusProtocol?) async throws {
        let rig = Self.rig(bus)
        await rig.run(for: .seconds(120))
        let log = rig.log.contents
        let identity = try #require(log.identities.last)
        #expect(identity.dialect == .j1939 && identity.bus == .j1939)
        #expect(identity.vin?.description == Self.truck.vin)
        #expect(identity.ecus.keys.sorted() == [Self.engine, Self.transmission])
        #expect(identity.ecus[Self.engine]?.name?.name == "SIMLT D13 460")
        for name in ["engine_speed", "vehicle_speed", "coolant_temperature"] {
            #expect(log.samples.contains { $0.value.field.name == name })
        }
        let times = log.samples.filter { $0.value.field.name == "engine_speed" }.map(\.time.sinceBoot)
        #expect(times.count > 40, "\(times)")
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        let reading = try #require(log.readings.last)
        guard case .read(let codes) = reading.lists[.stored] else {
            Issue.record("the codes are not read")
            return
        }
        #expect(Set(codes[Self.engine]?.map(\.description) ?? []) == ["SPN110-FMI0", "SPN3226-FMI4"])
        // What the ECUs broadcast is not requested, but for a list of codes that has begun before it was listened for.
        let requested = Set(rig.sent.filter { $0.identifier == 0x18EA_FFF9 }.map { Array($0.payload.reversed()) })
        #expect(
            requested.isDisjoint(with: [[0x00, 0xF0, 0x04], [0x00, 0xFE, 0xF1], [0x00, 0xFE, 0xEE]])
        )
        #expect(requested.contains([0x00, 0xFE, 0xEC]))
        if bus == .j1939 { #expect(rig.sent.allSatisfy { $0.identifier == 0x18EA_FFF9 }) }
    }

    @Test("Lost frames of long messages cost values and lists, and change none", arguments: [7, 13, 50])
    func losses(interval: Int) async {
        let rig = Self.rig(.j1939, lossInterval: interval)
        await rig.run(for: .seconds(300))
        let log = rig.log.contents
        #expect(log.wrong.isEmpty, "\(log.wrong.prefix(3))")
        #expect(log.identities.allSatisfy { $0.vin == nil || $0.vin?.description == Self.truck.vin })
        #expect(!log.samples.isEmpty && log.dropped > 0)
        for case .read(let codes) in log.readings.compactMap({ $0.lists[.stored] }) {
            #expect(Set(codes[Self.engine]?.map(\.description) ?? []) == ["SPN110-FMI0", "SPN3226-FMI4"])
        }
    }

    @Test("A lease reads the groups of a truck, whether they are polled or not")
    func lease() async throws {
        let rig = Self.rig(.j1939)
        let read = Mutex<[ParameterKey: Set<ECUAddress>]>([:])
        await rig.run(for: .seconds(60)) {
            while rig.log.contents.samples.isEmpty { await Task.yield() }
            try? await rig.session.withBus { lease throws(SessionError) in
                for key in [0x05, 0x14] as [ParameterKey] {
                    let ecus = try await lease.read(key).values.keys
                    read.withLock { $0[key] = Set(ecus) }
                }
            }
        }
        #expect(read.withLock { $0 } == [0x05: [Self.engine], 0x14: []])
        #expect(rig.log.contents.wrong.isEmpty)
    }

    @Test("While the bus of a truck sleeps nothing is sent, and when it wakes values are back")
    func sleep() async {
        let rig = Self.rig(nil)
        await rig.run(for: .seconds(60))
        rig.bus.conditions.withLock { $0.isAsleep = true }
        let (asleep, samples) = (rig.clock.now, rig.log.contents.samples.count)
        await rig.run(for: .seconds(310))
        // A frame may be on its way within a second of the last one of the vehicle.
        #expect(rig.sent.allSatisfy { $0.time <= asleep + .milliseconds(1100) })
        rig.bus.conditions.withLock { $0.isAsleep = false }
        await rig.run(for: .seconds(120))
        #expect(rig.log.contents.samples.count > samples + 20)
        #expect(rig.log.contents.wrong.isEmpty)
    }
}
