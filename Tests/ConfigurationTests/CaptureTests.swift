// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import OBD2
import Testing

@testable import Configuration

@Suite("Rules of captures")
struct CaptureTests {
    @Test("Without a table there is the built-in rule, and a table of its name changes it or switches it off")
    func builtIn() throws {
        #expect(try configuration(shortest).captures == [.builtIn])
        #expect(try configuration(shortest + "[capture.code]\nenabled = false\n").captures.isEmpty)
        let changed = try configuration(shortest + "[capture.code]\nparameters = [\"engine_speed\"]\nafter = 60\n")
        var rule = CaptureRule.builtIn
        (rule.parameters, rule.after) = ([0x0C], .seconds(60))
        #expect(changed.captures == [rule])
    }

    @Test("Every key of a table is read")
    func whole() throws {
        let text = """
            [custom.oil_pressure]
            request = "22 01 01"
            header = "7E0"
            formula = "A"
            [capture.code]
            enabled = false
            [capture.hot]
            when = "coolant_temperature > 115"
            for = 10
            parameters = ["engine_speed", "010D", "oil_pressure"]
            interval = 0.1
            after = 5
            per_day = 3
            [capture.misfire]
            on = ["code_appeared", "engine_stall"]
            codes = "P03*"
            """
        let rules = try configuration(shortest + text).captures
        #expect(rules.map(\.name) == ["hot", "misfire"])
        var hot = CaptureRule("hot", .condition(try Condition("coolant_temperature > 115"), for: .seconds(10)))
        hot.parameters = [0x0C, 0x0D, .custom("oil_pressure")]
        (hot.interval, hot.after, hot.perDay) = (.milliseconds(100), .seconds(5), 3)
        #expect(rules.first == hot)
        let pattern = try #require(CodePattern("P03*"))
        #expect(rules.last?.trigger == .occasions([.codeAppeared, .engineStall], codes: [pattern]))
    }

    @Test("An empty text and an empty list count as not set")
    func empty() throws {
        let condition = "when = \"engine_speed > 1\"\n"
        let plain = try configuration(shortest + "[capture.x]\n" + condition).captures
        #expect(try configuration(shortest + "[capture.x]\non = \"\"\ncodes = []\n" + condition).captures == plain)
        let lamp = try configuration(shortest + "[capture.x]\non = \"mil_on\"\n").captures
        #expect(
            try configuration(shortest + "[capture.x]\non = \"mil_on\"\nwhen = \"\"\nfor = \"\"\n").captures == lamp
        )
        #expect(try configuration(shortest + "[capture.code]\non = \"\"\n").captures == [.builtIn])
    }

    @Test(
        "A mistake names the file, the line, the key and the remedy",
        arguments: [
            ("[capture.x]\n", "needs either on or when"),
            ("[capture.x]\non = \"mil_on\"\nwhen = \"engine_speed > 1\"\n", "has both on and when. Try: remove one"),
            ("[capture.x]\non = \"\"\n", "needs either on or when"),
            ("[capture.x]\non = []\n", "needs either on or when"),
            ("[capture.x]\nwhen = \"\"\n", "needs either on or when"),
            ("[capture.x]\nwhen = \"vehicle_speed => 40\"\n", "\"=>\" is no operator. Try: >="),
            (
                "[capture.x]\non = \"mil_on\"\nparameters = \"warp\"\n",
                "Try: a name that obd-agent parameters list shows"
            ),
            ("[capture.x]\non = \"milon\"\n", "\"milon\" is not one of"),
            ("[capture.x]\nwhen = \"engine_sped > 1\"\n", "engine_sped"),
            ("[capture.x]\nwhen = \"engine_speed >\"\n", "column"),
            ("[capture.x]\non = \"mil_on\"\nfor = 5\n", "counts only with when"),
            ("[capture.x]\non = \"mil_on\"\ncodes = [\"P0301\"]\n", "counts only with on = \"code_appeared\""),
            ("[capture.x]\non = \"code_appeared\"\ncodes = [\"P03\"]\n", "is no code"),
            (
                "[capture.x]\non = \"code_appeared\"\ncodes = []\n",
                "names no code. Try: remove it, which means all codes"
            ),
            ("[capture.code]\ncodes = []\n", "names no code"),
            ("[capture.x]\non = \"code_appeared\"\ncodes = [\"P0301\", \"P0301\"]\n", "\"P0301\" stands here twice"),
            ("[capture.x]\non = [\"mil_on\", \"mil_on\"]\n", "\"mil_on\" stands here twice. Try: remove one"),
            (
                "[capture.x]\non = \"mil_on\"\nparameters = [\"engine_speed\", \"engine_speed\"]\n",
                "\"engine_speed\" stands here twice"
            ),
            ("[capture.x]\non = \"mil_on\"\nparameters = [\"engine_sped\"]\n", "is no parameter"),
            ("[capture.x]\non = \"mil_on\"\nper_day = 21\n", "out of range"),
            ("[capture.x]\non = \"mil_on\"\nafter = 121\n", "out of range"),
            ("[capture.x]\non = \"mil_on\"\nbefore = 5\n", "unknown key"),
            ("[capture.command]\non = \"mil_on\"\n", "another name"),
            ("[capture.X]\non = \"mil_on\"\n", "starts with a letter"),
            ("[capture]\nx = 5\n", "expected a table"),
        ]
    )
    func mistakes(text: String, problem: String) {
        let found = problems(shortest + text)
        #expect(found.contains(problem), "\(found)")
    }
}
