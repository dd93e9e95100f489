// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import TestSupport
import Testing

@testable import Commands

@Suite("A wall switch")
struct ButtonTests {
    @Test("The configuration allows the buttons that there are, and no others")
    func known() {
        #expect(ButtonPress.commands.keys.map(\.rawValue).sorted() == Configuration.Commands.knownButtons.sorted())
    }

    @Test(
        "It has the codes read if the configuration says so, and is not even subscribed to if not",
        arguments: [true, false]
    )
    func press(isConfigured: Bool) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let lines = isConfigured ? ["buttons = [\"read_codes\"]"] : []
            let agent = try bench.start(.init(adapter: car.address, vehicle: "van", commands: lines))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: "van") { $0.json["known"] == true }
            let count = await bench.observer.count
            try await bench.publisher.publish("ON", to: "obd/van/commands/read_codes")
            if isConfigured {
                let answer = try await bench.first("responses", of: "van", after: count) {
                    $0.json["state"] == "succeeded"
                }
                #expect(answer.json["command"] == "read_codes")
                #expect(answer.json["id"].string?.hasPrefix("button-") == true)
                _ = try await bench.first("codes", of: "van", after: count)
            }
            // Commands are answered in their order, so nothing came of the press before this one.
            let last = try await bench.perform(CommandText(id: "after", command: "describe"), on: "van")
            #expect(last["state"] == "succeeded")
            let ids = await bench.observer.messages.filter { $0.topic == "obd/van/responses" }.map {
                $0.json["id"].string
            }
            #expect(ids.contains { $0?.hasPrefix("button-") == true } == isConfigured)
        }
    }
}
