// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("The name that a user probably means")
struct NearNameTests {
    private static let names = ["van-12", "van-13", "ZZZSMVLATR4700893", "Anna's car"]

    @Test(
        "Case, a misspelling, and a part that only one name has, are enough",
        arguments: [
            ("VAN-12", "van-12"), ("zzzsmvlatr4700893", "ZZZSMVLATR4700893"),
            ("ZZZSMVLATR4700983", "ZZZSMVLATR4700893"),
            ("700893", "ZZZSMVLATR4700893"), ("anna", "Anna's car"), ("van", nil), ("12", nil), ("lorry", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func near(word: String, name: String?) {
        #expect(NearName.find(word, in: Self.names) == name)
    }

    @Test("Nothing is near where there are no names")
    func none() {
        #expect(NearName.find("van", in: []) == nil)
    }

    @Test("Two errors are a misspelling, three are another word")
    func misspelled() {
        let words = ["engine_speed", "gear", "vehicle_speed"]
        #expect(Spelling.misspelled("engin_sped", in: words) == "engine_speed")
        #expect(Spelling.misspelled("engn_sped", in: words) == nil)
        #expect(Spelling.misspelled("gera", in: words) == "gear")
        #expect(Spelling.misspelled("gaer_", in: words) == "gear")
        #expect(Spelling.misspelled("fear", in: words) == "gear")
        #expect(Spelling.misspelled("flux", in: words) == nil)
        #expect(Spelling.misspelled(String(repeating: "engine_speed", count: 10_000), in: words) == nil)
    }
}
