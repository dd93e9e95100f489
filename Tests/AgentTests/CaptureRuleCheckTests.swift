// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Contract
import Drive
import OBD2
import Testing

@testable import Agent

@Suite("The conditions of rules that commands set")
struct CaptureRuleCheckTests {
    private static let speed = ParameterKey.pid(0x0D)
    private static let temperature = ParameterKey.pid(0x05)

    private static let text = """
        [adapter]
        address = "ble"
        [mqtt]
        url = "mqtts://broker.example"
        [vehicle]
        fuel = "gasoline"
        engine_displacement = 1.6

        """

    private static func configuration(_ more: String = "") throws -> Configuration {
        try Configuration(toml: Array((Self.text + more).utf8), file: "agent.toml")
    }

    private static func refusal(_ when: String, polled: Set<ParameterKey>) throws -> String? {
        let rule = CaptureRule("hot", .condition(try Condition(when), for: .zero))
        let check = CaptureRuleCheck(values: try Self.configuration().computed.values)
        let refusal = check.refusal(of: rule, polled: polled, custom: [])
        #expect(refusal.map { $0.reason == .badArguments && $0.message.hasPrefix("$.arguments.rule.when: ") } != false)
        return refusal?.message
    }

    @Test("A value that is polled, computed or measured by the adapter may stand in a condition")
    func accepted() throws {
        #expect(try Self.refusal("vehicle_speed > 3", polled: [Self.speed]) == nil)
        #expect(try Self.refusal("fuel_flow > 3", polled: [.derived("fuel_flow")]) == nil)
        #expect(try Self.refusal("supply_voltage < 11", polled: []) == nil)
    }

    @Test(
        "A command gets the same words as the configuration",
        arguments: ["vehicle_sped > 3", "vehicle_speed > coolant_temperature", "mil > 0"]
    )
    func sameWords(when: String) throws {
        let message = try #require(try Self.refusal(when, polled: [Self.speed, Self.temperature, 0x01]))
        do {
            _ = try Self.configuration("[capture.hot]\nwhen = \"\(when)\"\n")
            Issue.record("the configuration accepts \(when)")
        } catch let error as ConfigurationError {
            let problem = try #require(error.problems.first)
            let words = problem.message + (problem.suggestion.map { "; did you mean \($0)?" } ?? "")
            #expect(message == "$.arguments.rule.when: \(words)")
        }
    }

    @Test("A value that is not read now is named, because the rule would never fire")
    func notRead() throws {
        let message = try Self.refusal("vehicle_speed > 3 and coolant_temperature > 90", polled: [Self.speed])
        #expect(message?.contains("coolant_temperature is not read now") == true)
        #expect(message?.contains("Try: ") == true && message?.contains("vehicle_speed") == false)
    }

    @Test("A role stands for a custom parameter that has it")
    func role() throws {
        let custom = try Self.configuration(
            """
            [custom.charge]
            request = "2101"
            formula = "A/2"
            unit = "%"
            role = "state_of_charge"
            """
        ).custom
        let rule = CaptureRule("low", .condition(try Condition("state_of_charge < 10"), for: .zero))
        let check = CaptureRuleCheck(values: try Self.configuration().computed.values)
        #expect(check.refusal(of: rule, polled: [.custom("charge")], custom: custom) == nil)
        #expect(check.refusal(of: rule, polled: [Self.speed], custom: custom) != nil)
    }

    @Test("A rule that waits for occasions needs no values")
    func occasions() throws {
        let rule = CaptureRule("lamp", .occasions([.milOn]))
        let check = CaptureRuleCheck(values: try Self.configuration().computed.values)
        #expect(check.refusal(of: rule, polled: [], custom: []) == nil)
    }
}
