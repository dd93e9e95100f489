// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Closing a gap")
struct ResendTests {
    private static func isAgain(_ message: Observed) -> Bool { message.userProperties == "again:1" }

    /// Returns the members of a record but for its date, which is computed anew.
    private static func content(_ record: Observed?) -> [String: JSON] {
        guard case .object(var members) = record?.json else { return [:] }
        members["t0"] = nil
        return members
    }

    private static func command(_ id: String, _ epoch: UInt64, _ from: Int, _ to: Int) -> CommandText {
        let arguments = #"{"stream": "telemetry", "epoch": \#(epoch), "from": \#(from), "to": \#(to)}"#
        return CommandText(id: id, command: "resend", arguments: arguments)
    }

    @Test("Records come again with their numbers and contents, also after a restart, and new ones go first")
    func again() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            var settings = Bench.Settings(adapter: car.address, unsignedRole: "observer")
            settings.allow.append("resend")
            let agent = try bench.start(settings)
            defer { agent.signal() }
            let first = try await bench.first("telemetry", of: vin) { $0.json["seq"] == 3 }
            let epoch = try #require(first.json["epoch"].count)
            let status = try await bench.first("status", of: vin) { $0.json["acknowledged"]["epoch"].count == epoch }
            #expect(
                status.json["acknowledged"].members.map(\.key).sorted() == [
                    "epoch", "events", "responses", "telemetry",
                ]
            )
            let originals = await bench.observer.messages.filter { $0.topic == first.topic && !Self.isAgain($0) }

            let response = try await bench.perform(Self.command("one", epoch, 2, 3), on: vin)
            #expect(response["state"] == "succeeded")
            let report = try #require(ResendReport(response["result"]))
            #expect(report.records == 2 && report.missing.isEmpty && report.from == 2 && report.to == 3)
            for number in [2, 3] as [Int64] {
                let again = try await bench.first("telemetry", of: vin) {
                    Self.isAgain($0) && $0.json["seq"] == .integer(number)
                }
                let original = originals.first { $0.json["seq"] == .integer(number) }
                #expect(Self.content(again) == Self.content(original) && again.qos == 1 && !again.retain)
            }
            // The live stream goes on.
            let last = try #require(await bench.observer.messages.last { $0.topic == first.topic })
            let next = (last.json["seq"].count ?? 0) + 3
            _ = try await bench.first("telemetry", of: vin) { !Self.isAgain($0) && $0.json["seq"].count == next }

            agent.signal()
            _ = try await agent.exitStatus()
            let restarted = try bench.start(settings)
            defer { restarted.signal() }
            let count = await bench.observer.count
            _ = try await bench.first("telemetry", of: vin, after: count) { ($0.json["epoch"].count ?? 0) > epoch }
            let later = try await bench.perform(Self.command("two", epoch, 1, 1000), on: vin)
            let all = try #require(ResendReport(later["result"]))
            #expect(all.last >= next && all.to == 1000)
            #expect(all.missing == [all.last + 1...1000] && all.records == Int(all.last))
            let old = try await bench.first("telemetry", of: vin, after: count) {
                Self.isAgain($0) && $0.json["seq"] == 2 && $0.json["epoch"].count == epoch
            }
            #expect(Self.content(old) == Self.content(originals.first { $0.json["seq"] == 2 }))
        }
    }
}
