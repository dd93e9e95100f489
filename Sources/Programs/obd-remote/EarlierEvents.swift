// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Contract
import Remote

/// The events that an agent has sent before, requested again.
struct EarlierEvents {
    /// The number of runs of the agent whose events are requested.
    private static let runs: UInt64 = 10

    private var vehicle: RemoteVehicle

    init(of vehicle: RemoteVehicle) {
        self.vehicle = vehicle
        self.vehicle.isQuiet = true
    }

    /// Asks for the events of the agent's present run, and then of those before it.
    ///
    /// The events come on their topic. What hinders that becomes a note: other messages still come.
    func request() async {
        do {
            let messages = try await self.vehicle.broker.retained(["status"], of: self.vehicle.name)
            let present = messages.first.map { JSON(payload: $0.payload)["acknowledged"] } ?? .null
            guard let epoch = present["epoch"].count, let last = present["events"].count else {
                return Output.note("The vehicle does not tell which events it has sent, so earlier ones cannot be had.")
            }
            var total: UInt64 = 0
            for age in 0..<min(Self.runs, epoch) {
                let first = age == 0 && last > ResendArguments.limit ? last - ResendArguments.limit + 1 : 1
                guard let range = ResendArguments(.events, epoch: epoch - age, from: first) else { break }
                let answer = try await self.vehicle.perform("resend", range.arguments)
                try RemoteVehicle.check(answer, to: "resend")
                total += answer.result["records"].count ?? 0
            }
            Output.note("The vehicle sends \(total) earlier events, at most four a second. Those that are captures are shown.")
        } catch {
            Output.note("The earlier captures do not all come: \(error)")
        }
    }
}
