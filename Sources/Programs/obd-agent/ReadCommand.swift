// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
import Contract
import Drive
import ELM327
import OBD2
import Session

struct ReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Reads a vehicle once: its identity and all its values.",
        discussion: """
            Examples:
              obd-agent read --adapter tcp:192.168.0.10:35000
              obd-agent read engine_speed 010D --adapter serial:/dev/ttyUSB0 --json
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Argument(
        help: "The parameters, by name or PID (default: all that the vehicle supports).",
        completion: .custom { _, _, _ in ParameterName.all }
    )
    var names: [String] = []

    @Option(
        name: .shortAndLong,
        help: "The same, separated by commas.",
        completion: .custom { _, _, _ in ParameterName.all }
    )
    var parameters: String?

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() async throws {
        let custom = Set(try self.adapter.configuration.custom().map(\.name))
        let names = (self.names + [self.parameters ?? ""]).flatMap { $0.split(separator: ",").map(String.init) }
        let keys = try names.map { name in
            if custom.contains(name) { return ParameterKey.custom(name) }
            guard let parameter = Parameter.named(name) else { throw try self.failure(name) }
            return ParameterKey.pid(parameter.pid)
        }
        try await self.adapter.withVehicle { reader in
            try await reader.read(keys.isEmpty ? nil : keys)
            // A session also reads what shows whether the vehicle is in use, or sets the scale of other values.
            let wanted = Set(keys.flatMap(\.valueNames))
            let samples = reader.samples.filter { keys.isEmpty || wanted.contains($0.value.field.name) }
            let found = Set(samples.map(\.value.field.name))
            let missing = Set(keys.filter { found.isDisjoint(with: $0.valueNames) }).sorted().map(\.name)
            if self.json { try self.printJSON(reader, samples, missing) } else { self.printTable(reader, samples) }
            if !keys.isEmpty, samples.isEmpty {
                throw CommandFailure(
                    .failed,
                    "no ECU reports \(missing.joined(separator: ", "))",
                    next: "obd-agent read without names, which shows all that the vehicle reports."
                )
            }
            if !missing.isEmpty { Console.printError("No ECU reports \(missing.joined(separator: ", ")).") }
        }
    }

    /// Returns the failure for a name that no ECU can be asked for.
    private func failure(_ name: String) throws -> CommandFailure {
        let derived = try self.adapter.configuration.derived().map(\.name)
        guard derived.contains(name) else {
            let custom = try self.adapter.configuration.custom().map(\.name)
            let near = ParameterName.suggestion(for: name, others: custom + derived)
            return CommandFailure(
                .usage,
                "\"\(name)\" is no parameter",
                next: near.map { "\($0); obd-agent parameters list shows all." } ?? "obd-agent parameters list."
            )
        }
        return CommandFailure(
            .usage,
            "no ECU reports \"\(name)\": the running agent computes it",
            next: "select it in [parameters]; then obd-agent last shows it."
        )
    }

    private func printTable(_ reader: DirectReader, _ samples: [Sample]) {
        guard let identity = reader.identity, let report = reader.report else { return }
        Console.print("Vehicle   \(identity.vin?.description ?? "no VIN")")
        Console.print("Bus       \(identity.bus.title)")
        let adapter = [report.identity, report.firmware, report.voltage.map { "\($0) V" }].compactMap(\.self)
        Console.print("Adapter   \(adapter.joined(separator: ", "))")
        for (ecu, known) in identity.ecus.sorted(by: { $0.key < $1.key }) {
            let name = known.name.map { [$0.acronym, $0.name].filter { !$0.isEmpty }.joined(separator: "-") } ?? ""
            let facts = [ecu.description, name, known.calibrationIDs.joined(separator: " ")].filter { !$0.isEmpty }
            Console.print("ECU       \(facts.joined(separator: " "))")
        }
        var table = TextTable()
        for sample in samples.sorted(by: { ($0.value.field.name, $0.ecu) < ($1.value.field.name, $1.ecu) }) {
            table.append([
                sample.value.field.name, sample.value.value.text, sample.value.field.symbol ?? "",
                sample.ecu.description,
            ])
        }
        if !samples.isEmpty { Console.print("") }
        for line in table.lines { Console.print(line) }
    }

    private func printJSON(_ reader: DirectReader, _ samples: [Sample], _ missing: [String]) throws {
        guard let identity = reader.identity, let report = reader.report else { return }
        let values: [JSON] = samples.map { sample in
            [
                "parameter": .string(sample.value.field.name), "ecu": .string(sample.ecu.description),
                "value": JSONOutput.json(sample.value.value),
                "unit": sample.value.field.symbol.map { .string($0) } ?? .null,
            ]
        }
        let ecus = identity.ecus.sorted { $0.key < $1.key }.map { ecu, known -> JSON in
            [
                "ecu": .string(ecu.description), "name": known.name.map { .string($0.name) } ?? .null,
                "calibration_ids": .array(known.calibrationIDs.map { .string($0) }),
                "calibration_verification_numbers": .array(
                    known.calibrationVerificationNumbers.map { .string($0) }
                ),
            ]
        }
        try JSONOutput.print(
            [
                "vin": identity.vin.map { .string($0.description) } ?? .null, "protocol": .string(identity.bus.title),
                "adapter": .string(report.identity), "voltage": report.voltage.map { .number($0) } ?? .null,
                "ecus": .array(ecus), "values": .array(values), "missing": .array(missing.map { .string($0) }),
            ] as JSON
        )
    }
}
