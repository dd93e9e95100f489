// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

@Suite("[commands] buttons")
struct ButtonTests {
    @Test("There is none by default; read_codes and wake may have one")
    func buttons() throws {
        #expect(try configuration(shortest).commands.buttons.isEmpty)
        #expect(
            try configuration(shortest + "[commands]\nbuttons = [\"read_codes\"]").commands.buttons == ["read_codes"]
        )
        let wake = "[commands]\nbuttons = [\"wake\"]\nallow = [\"wake\"]\nunsigned_role = \"specialist\""
        #expect(try configuration(shortest + wake).commands.buttons == ["wake"])
    }

    @Test("What cannot have one, or has no effect, is an error")
    func mistakes() {
        func problem(_ lines: String) -> String { problems(shortest + "[commands]\n" + lines) }
        #expect(problem("buttons = [\"clear_codes\"]").contains("\"clear_codes\" is not one of read_codes, wake"))
        #expect(problem("buttons = [\"read_code\"]").contains("did you mean read_codes?"))
        #expect(
            problem("buttons = [\"read_codes\"]\nallow = [\"describe\"]")
                .contains("[commands] buttons: has no effect because neither allow nor allow_also has read_codes")
        )
        #expect(
            problem("buttons = [\"read_codes\"]\nunsigned_role = \"none\"\ntrusted_keys = \"/k\"")
                .contains("[commands] buttons: has no effect with unsigned_role = \"none\"")
        )
        #expect(
            problem("buttons = [\"wake\"]\nallow = [\"wake\"]\ntrusted_keys = \"/k\"")
                .contains("[commands] buttons: wake has no effect without unsigned_role = \"specialist\"")
        )
    }
}
