// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite("Control characters in the configuration")
struct ControlCharacterTests {
    @Test(
        "A control character in any text is refused with its key, because a broker would close the connection",
        arguments: [
            ("[vehicle]\nname = \"van\\u0007\"", "6: [vehicle] name", "0007"),
            ("topic_prefix = \"obd\\t\"", "5: [mqtt] topic_prefix", "0009"),
            ("[home_assistant]\ndiscovery_prefix = \"a\\u0085\"", "6: [home_assistant] discovery_prefix", "0085"),
            (
                "[vehicle]\nidentity = \"alias\"\nalias = { 1HGCM82633A004352 = \"van\\uFFFF\" }",
                "7: [vehicle] alias.1HGCM82633A004352", "FFFF"
            ),
            ("[custom.x]\nrequest = \"2101\"\nformula = \"A\"\ntitle = \"a\\nb\"", "8: [custom] x.title", "000A"),
            ("username = \"\\U0001FFFE\"", "5: [mqtt] username", "1FFFE"),
        ]
    )
    func refused(text: String, key: String, code: String) {
        let message = "contains the control character U+\(code), which brokers refuse. Try: remove it"
        #expect(problems(shortest + text) == "agent.toml:\(key): \(message)")
    }

    @Test("A sign that changes the order of the shown letters is refused", arguments: ["202E", "202A", "2066", "2069"])
    func order(code: String) {
        let text = "[limit.x]\nwhen = \"fuel_level < 15\"\ntitle = \"a\\u\(code)b\""
        let message = "contains the sign U+\(code), which changes the order of the shown letters. Try: remove it"
        #expect(problems(shortest + text) == "agent.toml:7: [limit] x.title: \(message)")
    }

    @Test("Other characters of any script are accepted", arguments: ["Büro 3", "車-12", "van\u{301}", "🚐"])
    func accepted(name: String) throws {
        #expect(try configuration(shortest + "[vehicle]\nname = \"\(name)\"\n").vehicle.name == name)
    }
}
