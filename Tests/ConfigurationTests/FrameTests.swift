// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@testable import Configuration

@Suite("Custom parameters of frames")
struct FrameTests {
    @Test("A frame, its multiplexor and its formula are read")
    func whole() throws {
        let text = """
            [custom.torque]
            frame = "0C9"
            formula = "int16(B, C) * 0.5"
            interval = 0.5
            [custom.page_three]
            frame = "18FEF100"
            multiplexor = "bits(0, 4)"
            multiplex_value = 3
            formula = "D"
            """
        let custom = try configuration(shortest + text).custom
        #expect(custom.map { "\($0.source)" } == ["frame 18FEF100 m3", "frame 0C9"])
        let torque = try #require(custom.last)
        #expect(torque.request == nil)
        #expect(torque.decode(frame: [0, 0xFF, 0xFE]) == .value(FieldValue(field: torque.field, value: .number(-1))))
        #expect(torque.decode(frame: [0, 0xFF]) == .unusable)
        let page = try #require(custom.first)
        #expect(page.decode(frame: [0x20, 0, 0, 9]) == .other)
        #expect(page.decode(frame: [0x3F, 0, 0, 9]) == .value(FieldValue(field: page.field, value: .number(9))))
        #expect(page.decode(frame: []) == .other)
    }

    @Test(
        "Every problem names its place and its remedy",
        arguments: [
            (
                "frame = \"1A\"",
                "6: [custom] x.frame: expected a CAN identifier: 3 hexadecimal digits (11 bits) or 8 (29 bits)"
            ),
            (
                "frame = \"68 6A F1\"",
                "6: [custom] x.frame: expected a CAN identifier: 3 hexadecimal digits (11 bits) or 8 (29 bits)"
            ),
            (
                "frame = \"7E8\"",
                "6: [custom] x.frame: 7E8 has requests and replies, which take turns. Try: request in place of frame"
            ),
            (
                "frame = \"1A0\"\nrequest = \"22F190\"",
                "7: [custom] x.request: has no effect beside frame: nothing is requested"
            ),
            (
                "frame = \"1A0\"\nmultiplex_value = 1",
                "7: [custom] x.multiplex_value: has no effect without multiplexor"
            ),
            (
                "frame = \"1A0\"\nmultiplexor = \"A\"",
                "7: [custom] x.multiplexor: expected the integer multiplex_value that the multiplexor has in the frames "
                    + "with this value"
            ),
            (
                "request = \"22F190\"\nmultiplexor = \"A\"",
                "7: [custom] x.multiplexor: has no effect without frame"
            ),
        ]
    )
    func mistakes(keys: String, message: String) {
        #expect(problems(shortest + "[custom.x]\n\(keys)\nformula = \"A\"\n") == "agent.toml:\(message)")
    }
}
