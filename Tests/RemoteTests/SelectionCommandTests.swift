// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Remote
import Testing

@Suite("A request for a selection, and the text of its result")
struct SelectionCommandTests {
    @Test("Names with seconds replace the selection")
    func whole() throws {
        let arguments = try SelectionCommand.arguments(
            parameters: ["engine_speed=0.5", "010D=1", "category:fuel=10"],
            deadBands: ["engine_speed=50"],
            duration: 600
        )
        #expect(
            arguments == [
                "parameters": [
                    "engine_speed": ["interval": 0.5, "dead_band": 50.0], "010D": 1.0, "category:fuel": 10.0,
                ],
                "duration": 600.0,
            ]
        )
    }

    @Test("Changes are sent as changes, with the expected version and the strict mode")
    func changes() throws {
        let arguments = try SelectionCommand.arguments(
            changes: ["010C=0.2", "category:engine=2"],
            removed: ["category:exhaust,fuel_level", "010F"],
            deadBands: ["010C=25"],
            expectedVersion: 7,
            isStrict: true
        )
        #expect(
            arguments == [
                "set": ["010C": ["interval": 0.2, "dead_band": 25.0], "category:engine": 2.0],
                "remove": ["category:exhaust", "fuel_level", "010F"], "expected_version": 7, "strict": true,
            ]
        )
        #expect(try SelectionCommand.arguments(removed: ["fuel_level"]) == ["remove": ["fuel_level"]])
    }

    @Test(
        "Invalid words are an error before the command is sent",
        arguments: [
            "engine_speed", "=1", "engine_speed=", "engine_speed=1=2", "engine_speed=x", "engine_speed=nan",
            "engine_speed=inf",
        ]
    )
    func invalid(text: String) {
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(parameters: [text]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(changes: [text]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(changes: ["a=1"], deadBands: [text]) }
    }

    @Test("Contradictions are an error before the command is sent")
    func contradictions() {
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments() }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(parameters: ["a=1"], changes: ["b=1"]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(parameters: ["a=1"], removed: ["b"]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(changes: ["a=1"], removed: ["b,a"]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(parameters: ["a=1", "a=2"]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(changes: ["a=1"], deadBands: ["b=1"]) }
        #expect(throws: ArgumentProblem.self) { try SelectionCommand.arguments(changes: ["a=1"], expectedVersion: 0) }
    }

    @Test("The text has the requested and the achieved interval of each parameter")
    func outcome() {
        let result: JSON = [
            "version": 8, "parameters": ["coolant_temperature": 10, "engine_speed": 0.5, "fuel_level": 5],
            "dead_bands": ["engine_speed": 50, "o2_sensor_b1s1_voltage": 0.1],
            "achieved": ["coolant_temperature": 10, "engine_speed": 0.8333], "unsupported": ["fuel_level"],
            "duration": 600,
        ]
        #expect(
            SelectionCommand.rows(result) == [
                ["coolant_temperature", "every 10 s", "as requested"],
                ["engine_speed", "every 0.5 s", "the link carries every 0.833 s", "dead-band 50"],
                ["fuel_level", "every 5 s", "not read"], ["o2_sensor_b1s1_voltage", "dead-band 0.1"],
            ]
        )
        #expect(
            SelectionCommand.notes(result) == [
                "The vehicle does not support fuel_level.", "The previous selection returns after 10m.",
                "Version of the selection: 8.",
            ]
        )
    }

    @Test("Before the first poll the achieved intervals are unknown")
    func unknown() {
        let result: JSON = ["version": 2, "parameters": ["engine_speed": 1], "achieved": .null, "duration": .null]
        #expect(SelectionCommand.rows(result) == [["engine_speed", "every 1 s"]])
        let notes = SelectionCommand.notes(result)
        #expect(notes.first == "The achieved intervals are unknown: nothing has been polled yet.")
    }
}
