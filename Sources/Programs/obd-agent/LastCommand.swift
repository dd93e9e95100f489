// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Configuration
import Contract
import OBD2
import Store

extension Configuration.Units: ExpressibleByArgument {}

struct LastCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "last",
        abstract: "Shows the last value of every parameter that was ever read of a vehicle.",
        discussion: """
            A value appears [store] batch_seconds after it was read. Needs neither the vehicle nor a running agent.

            Examples:
              obd-agent last
              obd-agent last --vehicle ZZZSMVLATR4700893 --json
            """
    )

    @OptionGroup var recorded: RecordingOptions

    @Option(name: .long, help: "The units of the values.")
    var units = Configuration.Units.metric

    @Flag(name: .long, help: "Remove the values after showing them.")
    var clear = false

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    private struct Line {
        var category: ParameterCategory
        var reading: LastValue
        var start: BootStart

        var time: Timestamp { self.start.date + self.reading.at.sinceBoot }
    }

    func run() throws {
        let recording = try self.recorded.open()
        let vehicle = try self.recorded.chosen(in: recording)
        do {
            let lines = try recording.lastValues(of: vehicle.name)
                .map { reading, start in
                    Line(category: ParameterCategory(of: reading.series), reading: self.shown(reading), start: start)
                }
                .sorted { ($0.category, $0.reading.series) < ($1.category, $1.reading.series) }
            if self.json { try Self.printJSON(lines, of: vehicle) } else { Self.printTable(lines, of: vehicle) }
            if self.clear { try recording.clearLastValues(of: vehicle.name) }
        } catch let error as StoreError {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    /// Returns a reading in the chosen units.
    private func shown(_ reading: LastValue) -> LastValue {
        let name = String(reading.series.prefix { $0 != "/" })
        guard self.units == .imperial, let metric = reading.value.double, reading.label == nil,
            let unit = reading.unit.flatMap(OBD2.Unit.init(rawValue:))
        else { return reading }
        let field = Parameter.named(name)?.fields.first { $0.name == name }
        let (value, imperial) = field?.imperial(metric) ?? unit.imperial(metric)
        var reading = reading
        (reading.value, reading.unit) = (.number(ShownValue.rounded(value)), imperial.symbol)
        return reading
    }

    private static func printTable(_ lines: [Line], of vehicle: Recording.Vehicle) {
        Console.print("Vehicle   \(vehicle.vin ?? vehicle.name)")
        if lines.isEmpty { Console.print("No value was read yet.") }
        var table = TextTable()
        var headings: [Int: ParameterCategory] = [:]
        for (index, line) in lines.enumerated() {
            if index == 0 || lines[index - 1].category != line.category { headings[index] = line.category }
            let reading = line.reading
            let isDoubtful = line.start.quality == .unsynchronised
            table.append([
                "  " + reading.series, Self.text(reading), reading.unit ?? "",
                line.time.description + (isDoubtful ? ", from an unsynchronized clock" : ""),
            ])
        }
        for (index, line) in table.lines.enumerated() {
            if let heading = headings[index] {
                Console.print("")
                Console.print(heading.rawValue.prefix(1).uppercased() + heading.rawValue.dropFirst())
            }
            Console.print(line)
        }
    }

    private static func text(_ reading: LastValue) -> String {
        if let label = reading.label { return label }
        switch reading.value {
        case .number(let number): return DecodedValue.number(number).text
        case .bool(let isOn): return DecodedValue.flag(isOn).text
        case .string(let text): return text
        case .array(let names):
            return names.map { if case .string(let name) = $0 { name } else { $0.text } }.joined(separator: " ")
        default: return reading.value.text
        }
    }

    private static func printJSON(_ lines: [Line], of vehicle: Recording.Vehicle) throws {
        let values = lines.map { line -> JSON in
            let reading = line.reading
            return [
                "parameter": .string(reading.series), "category": .string(line.category.rawValue),
                "ecu": .string(reading.ecu), "value": reading.value,
                "label": reading.label.map { .string($0) } ?? .null,
                "unit": reading.unit.map { .string($0) } ?? .null, "time": .string(line.time.description),
                "clock": .string(line.start.quality.rawValue),
            ]
        }
        try JSONOutput.print(
            [
                "vehicle": .string(vehicle.name), "vin": vehicle.vin.map { .string($0) } ?? .null,
                "values": .array(values),
            ] as JSON
        )
    }
}
