// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Base
import CommandLine
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
            guard let codes = reader.codes else {
                throw CommandFailure(
                    .unavailable,
                    "the codes could not be read: no ECU gave a valid answer",
                    next: "switch the ignition on, and read again."
                )
            }
            if self.json { try self.printJSON(codes) } else { self.printTable(codes) }
        }
    }

    private static func name(_ state: CodeState) -> String {
        switch state {
        case .stored: "stored"
        case .pending: "pending"
        case .permanent: "permanent"
        }
    }

    private static func severity(of code: TroubleCode, in ecu: ECUAddress, _ reading: CodeReading) -> String? {
        reading.severity(of: code, in: ecu)?.action.map { CodesReport.Severity($0).phrase }
    }

    private func printTable(_ codes: CodeReading) {
        Console.print("Warning lamp  \(codes.mil.map { $0 ? "on" : "off" } ?? "unknown")")
        for state in CodeState.allCases {
            switch codes.lists[state] {
            case .read(let ecus) where ecus.values.allSatisfy(\.isEmpty):
                Console.print("No \(Self.name(state)) codes.")
            case .read: break
            case .notSupported: Console.print("The vehicle does not support reading its \(Self.name(state)) codes.")
            case .incomplete:
                Console.print("There may be more \(Self.name(state)) codes: those of some ECU could not be read.")
            case .failed, nil:
                Console.print("The \(Self.name(state)) codes are unknown: they could not be read.")
            }
        }
        let entries = codes.states.sorted { $0.key < $1.key }.flatMap { ecu, known in
            known.map { code, states in
                GroupedCodes.Entry(
                    code: code,
                    ecu: ecu.description,
                    states: states.map(Self.name),
                    severity: Self.severity(of: code, in: ecu, codes)
                )
            }
        }
        for line in GroupedCodes(entries).lines { Console.print(line) }
        for (ecu, frame) in codes.freezeFrames.sorted(by: { $0.key < $1.key }) {
            for line in Self.lines(of: frame, ecu.description) { Console.print(line) }
        }
    }

    private static func lines(of frame: FreezeFrameReading, _ ecu: String) -> [String] {
        switch frame {
        case .none: return ["", "\(ecu) has stored no freeze frame."]
        case .notSupported: return ["", "\(ecu) keeps no freeze frames."]
        case .failed: return ["", "\(ecu): the freeze frame is unknown: it could not be read."]
        case .stored(let code, let values, let unread):
            var table = TextTable()
            for value in values {
                table.append(["  \(value.field.name)", value.value.text, value.field.unit?.symbol ?? ""])
            }
            let missing = unread.map { "  \(ParameterKey.pid($0).name) could not be read" }
            return ["", "\(ecu) when \(code) was stored:"] + table.lines + missing
        }
    }

    private func printJSON(_ codes: CodeReading) throws {
        let found = codes.states.sorted { $0.key < $1.key }.flatMap { ecu, known in
            known.sorted { $0.key < $1.key }.map { code, states -> JSON in
                let severity = codes.severity(of: code, in: ecu)
                return [
                    "code": .string(code.description), "ecu": .string(ecu.description),
                    "states": .array(states.map { .string(Self.name($0)) }),
                    "description": .string(code.explanation),
                    "severity": severity?.action.map { .string(CodesReport.Severity($0).rawValue) } ?? .null,
                    "severity_class": severity?.malfunctionClass.map { .integer(Int64($0)) } ?? .null,
                    "category": code.dtc.map { .string($0.category.rawValue) } ?? .null,
                    "group": code.dtc?.group.map { .string($0.rawValue) } ?? .null,
                ]
            }
        }
        let unread = CodeState.allCases.filter { codes.lists[$0]?.isOpen ?? true }
        let frames = codes.freezeFrames.map { ($0.key.description, Self.json($0.value)) }
        try JSONOutput.print(
            [
                "known": .bool(codes.isKnown), "mil": codes.mil.map { .bool($0) } ?? .null,
                "codes": .array(found), "unread": .array(unread.map { .string(Self.name($0)) }),
                "not_supported": .array(
                    CodeState.allCases.filter { codes.lists[$0] == .notSupported }.map { .string(Self.name($0)) }
                ),
                "freeze_frames": .object(Dictionary(frames) { first, _ in first }),
            ] as JSON
        )
    }

    private static func json(_ frame: FreezeFrameReading) -> JSON {
        switch frame {
        case .none: ["state": "none"]
        case .notSupported: ["state": "not_supported"]
        case .failed: ["state": "unread"]
        case .stored(let code, let values, let unread):
            [
                "state": "stored", "code": .string(code.description),
                "values": .object(
                    Dictionary(values.map { ($0.field.name, JSONOutput.json($0.value)) }) { first, _ in first }
                ),
                "unread": .array(unread.map { .string(ParameterKey.pid($0).name) }),
            ]
        }
    }
}
