// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("Topics and filters")
struct TopicTests {
    @Test("Texts that MQTT allows are topics", arguments: ["a", "/", "a//b", "$SYS/broker", "Fahrzeug/grün/1", " "])
    func valid(text: String) throws {
        #expect(try Topic(text).description == text)
    }

    @Test("Topics with wildcards or NUL are refused", arguments: ["a/+", "#", "a\0b", "+\u{301}", "a/#\u{301}/b"])
    func forbidden(text: String) {
        #expect(throws: TopicError.forbiddenCharacter(text)) { try Topic(text) }
    }

    @Test("A topic has 1 to 65535 bytes, not characters")
    func length() throws {
        #expect(throws: TopicError.empty) { try Topic("") }
        #expect(throws: TopicError.empty) { try TopicFilter("") }
        let longest = String(repeating: "ü", count: 32767) + "a"
        #expect(try Topic(longest).description == longest)
        #expect(throws: TopicError.tooLong(65536)) { try Topic(longest + "a") }
        #expect(throws: TopicError.tooLong(65537)) { try Topic(longest).appending("a") }
    }

    @Test("Topics are compared by their bytes: canonically equivalent texts are different topics")
    func bytes() throws {
        let composed = try Topic("caf\u{e9}")
        let decomposed = try Topic("cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(!TopicFilter(composed).matches(decomposed))
        #expect(TopicFilter(composed) != TopicFilter(decomposed))
    }

    @Test("Only a valid level can be appended")
    func appending() throws {
        let topic = try Topic("obd/van-12")
        #expect(try topic.appending("codes").description == "obd/van-12/codes")
        for level in ["", "a/b", "+", "#", "a\0", "$share"] {
            #expect(!Topic.isLevel(level))
            #expect(throws: TopicError.notALevel(level)) { try topic.appending(level) }
        }
        #expect(Topic.isLevel("WVWZZZ1JZXW000001"))
        #expect(Topic.isLevel("a$b"))
    }

    @Test(
        "A wildcard must be a whole level, and # the last one",
        arguments: ["a+", "+a", "#/a", "a#", "a/#/b", "##", "+#"]
    )
    func misplaced(text: String) {
        #expect(throws: TopicError.misplacedWildcard(text)) { try TopicFilter(text) }
    }

    @Test("A filter with NUL is refused")
    func zero() {
        #expect(throws: TopicError.forbiddenCharacter("a\0")) { try TopicFilter("a\0") }
    }

    // The examples of MQTT 5, sections 4.7.1.2, 4.7.1.3 and 4.7.2, and edge cases between them.
    @Test(
        "A filter matches the topics that MQTT 5, section 4.7, says",
        arguments: [
            ("sport/tennis/player1/#", "sport/tennis/player1", true),
            ("sport/tennis/player1/#", "sport/tennis/player1/ranking", true),
            ("sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", true),
            ("sport/tennis/player1/#", "sport/tennis/player10", false),
            ("sport/#", "sport", true),
            ("#", "a/b", true),
            ("#", "/", true),
            ("sport/tennis/+", "sport/tennis/player1", true),
            ("sport/tennis/+", "sport/tennis/player1/ranking", false),
            ("sport/+", "sport", false),
            ("sport/+", "sport/", true),
            ("+/+", "/finance", true),
            ("/+", "/finance", true),
            ("+", "/finance", false),
            ("+/tennis/#", "sport/tennis", true),
            ("a/b", "a/b", true),
            ("a/b", "a/B", false),
            ("a/b", "a/b/", false),
            ("a/b/", "a/b", false),
            ("a//b", "a//b", true),
            ("a/+/b", "a//b", true),
            ("#", "$SYS/uptime", false),
            ("+/uptime", "$SYS/uptime", false),
            ("$SYS/#", "$SYS/uptime", true),
            ("$SYS/+", "$SYS/uptime", true),
            ("a/#", "a/$b", true),
        ]
    )
    func matching(filter: String, topic: String, expected: Bool) throws {
        #expect(try TopicFilter(filter).matches(Topic(topic)) == expected)
    }

    @Test("The filter made of a topic matches only that topic")
    func ofTopic() throws {
        let topic = try Topic("obd/van-12/commands")
        #expect(TopicFilter(topic).matches(topic))
        #expect(!TopicFilter(topic).matches(try topic.appending("x")))
        #expect(TopicFilter(topic).description == topic.description)
    }

    @Test("An error names the refused text")
    func errors() {
        #expect(TopicError.misplacedWildcard("a+").description.contains("\"a+\""))
        #expect(TopicError.tooLong(70000).description.contains("70000"))
    }
}
