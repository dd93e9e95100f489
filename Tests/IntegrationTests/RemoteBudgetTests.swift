// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("obd-remote without a key, when the byte budget is used up")
struct RemoteBudgetTests {
    private static func runWithoutRoom(_ bench: Bench, _ remote: RemoteProgram, _ round: Int) async throws
        -> RemoteProgram.Run
    {
        for number in 1...100 {
            let order = CommandText(id: "\(round)-\(number)", command: "read_vehicle")
            guard try await bench.perform(order, on: vin)["reason"].isNull else { break }
        }
        return try await remote.run("vehicle", ["--timeout", "5s"])
    }

    @Test("A missing result is told and is no success, and the result comes once there is room")
    func budget() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address, allow: ["read_vehicle"]))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin)
            let remote = RemoteProgram(bench.broker, vehicle: vin)
            // Another sender uses the budget up; on a busy machine there may be room again before the program has begun.
            var run = try await Self.runWithoutRoom(bench, remote, 1)
            for round in 2...5 where run.status == .exited(0) {
                run = try await Self.runWithoutRoom(bench, remote, round)
            }
            #expect([.exited(2), .exited(5)].contains(run.status) && run.output.isEmpty, "\(run)")
            #expect(run.notes.contains { $0.contains("again in ") && $0.contains("--signing-key") }, "\(run.notes)")
            let later = try await remote.run("vehicle")
            #expect(later.status == .exited(0) && later.output.contains { $0.contains(vin) }, "\(later)")
            #expect(later.notes.contains { $0.contains("It is sent again in ") }, "\(later.notes)")
        }
    }
}
