// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite("The allowed commands")
struct AllowTests {
    private static let defaults = Configuration.Commands.defaultAllow

    @Test("Other commands can be added to the default ones, which an own list replaces")
    func added() throws {
        let also = "[commands]\nunsigned_role = \"specialist\"\nallow_also = [\"clear_codes\", \"read_codes\"]"
        #expect(try configuration(shortest + also).commands.allow == Self.defaults.union(["clear_codes"]))
        #expect(try configuration(shortest + "[commands]\nallow_also = []").commands.allow == Self.defaults)
        #expect(try configuration(shortest + "[commands]\nallow = [\"boost\"]").commands.allow == ["boost"])
    }

    @Test("Both lists together are a mistake, and what is added needs a sender with the right to it")
    func mistakes() {
        #expect(
            problems(shortest + "[commands]\nallow = [\"describe\"]\nallow_also = [\"read_codes\"]") == """
                agent.toml:7: [commands] allow_also: adds to the default commands, which allow replaces. Try: only one \
                of them, allow or allow_also
                """
        )
        #expect(
            problems(shortest + "[commands]\nallow_also = [\"clear_codes\"]") == """
                agent.toml:6: [commands] allow_also: clear_codes is allowed, but no key is trusted and unsigned_role \
                excludes it. Try: set trusted_keys, or unsigned_role = "specialist" on a private broker
                """
        )
        #expect(problems(shortest + "[commands]\nallow_also = [\"clear_code\"]").contains("did you mean clear_codes?"))
    }
}
