// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Logging
import MQTT
import Store
import Testing

@testable import Uplink

@Suite("Records while there is no broker")
struct RecordTests {
    private let store = Store(.init(agent: "a1b2", boot: "b", firstEpoch: 1))

    private func uplink(_ vehicle: String = "van") throws -> Uplink {
        try Uplink(
            UplinkOptions(
                servers: [],
                username: nil,
                topicPrefix: try Topic("obd"),
                agent: "a1b2",
                boot: "b",
                batchInterval: .seconds(10),
                compressesTelemetry: false,
                storeWindow: .seconds(10)
            ),
            vehicle: vehicle,
            store: self.store,
            clock: StandingClock(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            connect: { _ throws(MQTTError) in throw .notConnected }
        )
    }

    private func event(bytes: Int = 0) -> AgentEvent {
        var event = AgentEvent(.started)
        event.reason = String(repeating: "x", count: bytes)
        return event
    }

    @Test("Records of a lost connection return to the queue, and may be dropped after younger ones")
    func olderAfterYounger() async throws {
        let uplink = try self.uplink()
        for _ in 0..<10 { await uplink.record(self.event(bytes: 1 << 20)) }
        for _ in 0..<5 { _ = await self.store.next() }
        // The records from number 6 on are dropped first, because 1 to 5 are in flight. Later these can be dropped too.
        for _ in 0..<8 { await uplink.record(self.event(bytes: 1 << 20)) }
        #expect(await self.store.status.dropped == 3)
        await self.store.returnInFlight()
        for _ in 0..<4 { await uplink.record(self.event(bytes: 1 << 20)) }
        #expect(await [self.store.status.records, self.store.status.dropped] == [15, 7])
        #expect(await self.store.next()?.id.seq == 5)
    }

    @Test("A response topic counts only below the vehicle's own responses")
    func responseTopic() async throws {
        let uplink = try self.uplink()
        let response = CommandResponse(id: "1", command: nil, state: .accepted)
        for (topic, counts) in [
            ("obd/van/responses/desk", true), ("obd/van/responses", false), ("obd/van/responsesX/a", false),
            ("obd/other/responses/desk", false), ("home/door", false), ("obd/van/status", false),
        ] {
            var request = Message(topic: try Topic("obd/van/commands"), payload: [])
            request.properties.responseTopic = try Topic(topic)
            request.properties.correlationData = [1, 2]
            await uplink.record(response, to: request, vehicle: "van")
            let destination = await self.store.next()?.destination
            #expect(destination?.responseTopic == (counts ? topic : nil), "\(topic)")
            #expect(destination?.correlationData == [1, 2])
            #expect(destination?.vehicle == "van")
        }
    }

    @Test("A record keeps its vehicle after a change of vehicle")
    func vehicleChange() async throws {
        let uplink = try self.uplink("one")
        await uplink.ingest([.init(series: "a", ecu: "7E8", scale: 1, steps: 1, time: .zero)])
        try await uplink.setVehicle("two")
        await uplink.record(self.event())
        #expect(await self.store.next()?.destination.vehicle == "two")
        let telemetry = await self.store.next()
        #expect(telemetry?.stream == .telemetry && telemetry?.destination.vehicle == "one")
        await #expect(throws: TopicError.self) { try await uplink.setVehicle("a/b") }
        #expect(await uplink.vehicle == "two")
    }
}
