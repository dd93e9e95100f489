// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Store
import Testing

@Suite("The store")
struct StoreTests {
    private struct Unwritable: Error {}

    @Test("Each stream numbers for itself, from one, without a gap")
    func numbers() async throws {
        let store = Store(agent: "a1b2", epoch: 17)
        for stream in [.events, .telemetry, .events, .responses, .events] as [RecordStream] {
            _ = await store.append(to: stream, destination: .init()) { number in
                number.agent == "a1b2" && number.epoch == 17 ? [UInt8(number.seq)] : []
            }
        }
        #expect(await store.depth == (5, 0))
        var payloads: [[UInt8]] = []
        while let entry = await store.next() {
            #expect(entry.payload.first.map(UInt64.init) == entry.seq)
            payloads.append(entry.payload)
        }
        #expect(payloads == [[1], [1], [2], [3], [1]])
    }

    @Test("A record that cannot be written takes no number")
    func failing() async throws {
        let store = Store(agent: "a", epoch: 1)
        await #expect(throws: Unwritable.self) {
            try await store.append(to: .events, destination: .init()) { _ in throw Unwritable() }
        }
        _ = await store.append(to: .events, destination: .init()) { [UInt8($0.seq)] }
        let entry = await store.next()
        #expect(entry?.payload == [1])
        #expect(await store.depth.records == 1)
    }

    @Test("A number is never used again, whatever was acknowledged, returned or thrown away")
    func neverAgain() async throws {
        let store = Store(agent: "a", epoch: 1)
        let megabyte = [UInt8](repeating: 0, count: 1 << 20)
        var gone: [UInt64] = []
        for round in 0..<60 {
            let gaps = await store.append(to: .telemetry, destination: .init()) { _ in megabyte }
            gone += gaps.flatMap { Array($0.range) }
            if round % 3 == 0, let entry = await store.next() {
                await store.acknowledge(entry)
                gone.append(entry.seq)
            }
            if round % 7 == 0 { await store.returnInFlight() }
        }
        let depth = await store.depth
        #expect(depth.records == 16 && depth.dropped == 60 - 16 - 20)
        while let entry = await store.next() { gone.append(entry.seq) }
        #expect(gone.sorted() == Array(1...60))
    }

    @Test("A record keeps where it goes")
    func destination() async throws {
        let store = Store(agent: "a", epoch: 1)
        let destination = Outbox.Destination(vehicle: "van", responseTopic: "obd/van/responses/x", correlationData: [9])
        _ = await store.append(to: .responses, destination: destination) { _ in [] }
        #expect(await store.next()?.destination == destination)
    }
}
