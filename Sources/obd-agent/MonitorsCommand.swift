// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Contract
import OBD2
import Session

struct MonitorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitors",
        abstract: "Reads readiness for an inspection, and what the on-board tests came to.",
        discussion: """
            Example:
              obd-agent monitors --adapter serial:/dev/ttyUSB0
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Flag(name: .long, help: "Print JSON, as it stands in the topic \"monitors\".")
    var json = false

    func run() async throws {
        try await self.adapter.withVehicle { reader in
            try await reader.readMonitors()
            let mapping = ContractMapping(clock: SystemClock(trustsSystem: true), isImperial: false)
            guard let reading = reader.tests, let report = mapping.monitors(reading.sinceClear, reading) else {
                throw CommandFailure(.unavailable, "no ECU tells its readiness")
            }
            if self.json { try JSONOutput.print(report) } else { self.printTable(report) }
        }
    }

    private func printTable(_ report: MonitorsReport) {
        Console.print("Warning lamp  \(report.mil ? "on" : "off")")
        Console.print("Codes         \(report.codeCount)")
        Console.print("Ignition      \(report.ignition)")
        Console.print("")
        var readiness = Table()
        readiness.append(["monitor", "since clear", "this cycle"])
        for monitor in Monitor.allCases {
            guard let state = report.monitors[monitor.rawValue] else { continue }
            let cycle = report.cycle?.monitors[monitor.rawValue]?.rawValue ?? ""
            readiness.append([monitor.rawValue, state.rawValue, cycle])
        }
        for line in readiness.lines { Console.print(line) }
        guard let tests = report.tests else { return }
        Console.print("")
        for (ecu, state) in tests.ecus.sorted(by: { $0.key < $1.key }) {
            switch state {
            case .read: break
            case .notSupported: Console.print("\(ecu) tells of no tests.")
            case .incomplete: Console.print("\(ecu): some tests could not be read: this says nothing about them.")
            case .unread: Console.print("\(ecu): the tests could not be read: this says nothing about them.")
            }
        }
        var results = Table()
        for result in tests.results { results.append(Self.row(result)) }
        for line in results.lines { Console.print(line) }
    }

    private static func row(_ result: TestsReport.Result) -> [String] {
        func text(_ number: Double?) -> String { number.map { Value.number($0).text } ?? "" }
        let unit = result.unit.map { " \($0)" } ?? ""
        let limits =
            result.minimum == nil && result.maximum == nil
            ? "" : "(\(text(result.minimum)) … \(text(result.maximum)))"
        let id = [result.monitor, result.test, result.component.map { "component \($0)" }].compactMap(\.self)
        return [
            result.ecu, result.service, id.joined(separator: " "), result.verdict ?? "",
            result.value.map { text($0) + unit } ?? "", limits,
            [result.subject, result.quantity].compactMap(\.self).joined(separator: ", "),
        ]
    }
}
