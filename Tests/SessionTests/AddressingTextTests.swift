// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import Testing

@testable import Session

@Suite("Addressing in a transcript")
struct AddressingTextTests {
    @Test(
        "An addressing is read as it was written",
        arguments: [
            (Addressing(header: .can11(0x7E4), responder: .can11(0x7EC)), "7E4:7EC:-:-:-:-"),
            (Addressing(header: .can29(0x14DA_11F1), responder: nil, setsFlowControl: true), "14DA11F1:-:-:-:f:-"),
            (
                Addressing(
                    header: .can11(0x6F1),
                    responder: .can11(0x607),
                    addressExtension: .init(request: 0x07, reply: 0xF1),
                    wait: 0x64
                ), "6F1:607:07:F1:-:64"
            ),
        ]
    )
    func text(addressing: Addressing, text: String) {
        #expect(addressing.text == text && Addressing(text: text) == addressing)
    }

    @Test("Only a header of 29 bits leaves the reply open", arguments: ["7E4:-:-:-:-:-", "14DA11F1:x:-:-:-:-"])
    func malformed(text: String) {
        #expect(Addressing(text: text) == nil)
    }
}
