// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import ELM327

struct MeasureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measures how fast adapter and vehicle answer.",
        discussion: """
            Requests the engine speed repeatedly, each time as soon as the last answer is complete. All polling shares \
            this rate. Another adapter, a shorter connection interval or a place nearer to the adapter may raise it.
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Option(name: [.customShort("n"), .long], help: "The number of requests.")
    var requests = 100

    func validate() throws {
        guard 1...10_000 ~= self.requests else { throw ValidationError("--requests must be 1 to 10000") }
    }

    func run() async throws {
        try await self.adapter.withVehicle { reader in
            Console.progress("asking \(self.requests) times")
            let times = try await reader.measureRequests(self.requests).sorted()
            let total = times.reduce(0) { $0 + $1.seconds }
            Console.print("Adapter  \(reader.report?.identity ?? "")")
            Console.print("Bus      \(reader.report?.bus.title ?? "")")
            Console.print("Rate     \(Self.text(Double(times.count) / total)) requests a second")
            let half = Self.text(times[times.count / 2].seconds * 1000)
            let most = Self.text(times[times.count * 95 / 100].seconds * 1000)
            let all = Self.text(times[times.count - 1].seconds * 1000)
            Console.print("Answers  half of them within \(half) ms, 95 % within \(most) ms, all within \(all) ms")
        }
    }

    /// Returns the number with one digit after the point.
    private static func text(_ number: Double) -> String {
        "\((number * 10).rounded() / 10)"
    }
}
