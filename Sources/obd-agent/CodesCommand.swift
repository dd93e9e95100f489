// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Contract
import ELM327
import OBD2
import Session

struct CodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "codes",
        abstract: "Reads the trouble codes of every ECU, and the warning lamp. Clears nothing.",
        discussion: """
            Example:
              obd-agent codes --adapter serial:/dev/ttyUSB0
            """
    )

    @OptionGroup var adapter: AdapterOptions

    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() async throws {
        try await self.adapter.withVehicle { reader in
            try await reader.readCodes()
            guard let codes = reader.codes else { throw CommandFailure(.unavailable, "the codes could not be read") }
            if self.json { try self.printJSON(codes, reader) } else { self.printTable(codes, reader) }
        }
    }

    private static func name(_ state: CodeState) -> String {
        switch state {
        case .stored: "stored"
        case .pending: "pending"
        case .permanent: "permanent"
        }
    }

    private func mil(_ reader: VehicleReader) -> Bool? {
        reader.monitors.isEmpty ? nil : reader.monitors.values.contains(where: \.mil)
    }

    private func printTable(_ codes: CodeReading, _ reader: VehicleReader) {
        Console.print("Warning lamp  \(self.mil(reader).map { $0 ? "on" : "off" } ?? "unknown")")
        for state in CodeState.allCases {
            switch codes.lists[state] {
            case .read(let ecus) where ecus.values.allSatisfy(\.isEmpty):
                Console.print("No \(Self.name(state)) codes.")
            case .read: break
            case .notSupported: Console.print("The vehicle tells no \(Self.name(state)) codes.")
            case .failed, nil:
                Console.print("The \(Self.name(state)) codes could not be read: this says nothing about them.")
            }
        }
        var table = Table()
        for (ecu, known) in codes.states.sorted(by: { $0.key < $1.key }) {
            for (code, states) in known.sorted(by: { $0.key < $1.key }) {
                table.append([code.description, ecu.description, states.map(Self.name).joined(separator: ", ")])
            }
        }
        for line in table.lines { Console.print(line) }
    }

    private func printJSON(_ codes: CodeReading, _ reader: VehicleReader) throws {
        let found = codes.states.sorted { $0.key < $1.key }.flatMap { ecu, known in
            known.sorted { $0.key < $1.key }.map { code, states -> JSON in
                [
                    "code": .string(code.description), "ecu": .string(ecu.description),
                    "states": .array(states.map { .string(Self.name($0)) }),
                ]
            }
        }
        let unread = CodeState.allCases.filter { codes.lists[$0] == .failed || codes.lists[$0] == nil }
        try JSONOutput.print(
            [
                "known": .bool(codes.isKnown), "mil": self.mil(reader).map { .bool($0) } ?? .null,
                "codes": .array(found), "unread": .array(unread.map { .string(Self.name($0)) }),
            ] as JSON
        )
    }
}
