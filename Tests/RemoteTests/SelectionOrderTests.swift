// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Remote
import Testing

@Suite("A selection, as people write and read it")
struct SelectionOrderTests {
    @Test("Names with seconds are all that is read from then on")
    func whole() throws {
        let order = try SelectionOrder(
            parameters: ["engine_speed=0.5", "010D=1", "category:fuel=10"],
            deadBands: ["engine_speed=50"],
            duration: 600
        )
        #expect(
            order.arguments == [
                "parameters": [
                    "engine_speed": ["interval": 0.5, "dead_band": 50.0], "010D": 1.0, "category:fuel": 10.0,
                ],
                "duration": 600.0,
            ]
        )
    }

    @Test("Changes are sent as changes, with what they are bound to")
    func changes() throws {
        let order = try SelectionOrder(
            changes: ["010C=0.2", "category:engine=2"],
            removed: ["category:exhaust,fuel_level", "010F"],
            deadBands: ["010C=25"],
            expectedVersion: 7,
            isStrict: true
        )
        #expect(
            order.arguments == [
                "set": ["010C": ["interval": 0.2, "dead_band": 25.0], "category:engine": 2.0],
                "remove": ["category:exhaust", "fuel_level", "010F"], "expected_version": 7, "strict": true,
            ]
        )
        #expect(try SelectionOrder(removed: ["fuel_level"]).arguments == ["remove": ["fuel_level"]])
    }

    @Test(
        "What nobody can mean is told before anything is sent",
        arguments: [
            "engine_speed", "=1", "engine_speed=", "engine_speed=1=2", "engine_speed=x", "engine_speed=nan",
            "engine_speed=inf",
        ]
    )
    func nonsense(text: String) {
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(parameters: [text]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(changes: [text]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(changes: ["a=1"], deadBands: [text]) }
    }

    @Test("What contradicts itself is told before anything is sent")
    func contradictions() {
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder() }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(parameters: ["a=1"], changes: ["b=1"]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(parameters: ["a=1"], removed: ["b"]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(changes: ["a=1"], removed: ["b,a"]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(parameters: ["a=1", "a=2"]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(changes: ["a=1"], deadBands: ["b=1"]) }
        #expect(throws: SelectionOrder.Problem.self) { try SelectionOrder(changes: ["a=1"], expectedVersion: 0) }
    }

    @Test("What is polled is told with what the link carries, value by value")
    func outcome() {
        let text = SelectionText([
            "version": 8, "parameters": ["coolant_temperature": 10, "engine_speed": 0.5, "fuel_level": 5],
            "dead_bands": ["engine_speed": 50, "o2_sensor_b1s1_voltage": 0.1],
            "achieved": ["coolant_temperature": 10, "engine_speed": 0.8333], "unsupported": ["fuel_level"],
            "duration": 600,
        ])
        #expect(
            text.rows == [
                ["coolant_temperature", "every 10 s", "as wished"],
                ["engine_speed", "every 0.5 s", "the link carries every 0.833 s", "dead-band 50"],
                ["fuel_level", "every 5 s", "not read"], ["o2_sensor_b1s1_voltage", "dead-band 0.1"],
            ]
        )
        #expect(text.notes == ["The vehicle does not tell fuel_level.", "For 10m.", "Version 8 of the selection."])
    }

    @Test("Where nothing was polled yet nobody knows what the link carries")
    func unknown() {
        let text = SelectionText(["version": 2, "parameters": ["engine_speed": 1], "achieved": nil, "duration": nil])
        #expect(text.rows == [["engine_speed", "every 1 s"]])
        #expect(text.notes.first == "How often the link carries it is not known: nothing was polled yet.")
    }
}
