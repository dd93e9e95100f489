// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Replies to a request to one ECU")
struct AddressedReplyTests {
    private static func read(
        _ lines: [String],
        _ payload: [UInt8],
        echo: Int,
        _ addressing: Addressing,
        on bus: BusProtocol = .can11at500
    ) -> (replies: [ECUAddress: ECUReply], dropped: Int) {
        let echo = Array(payload.dropFirst().prefix(echo))
        let request = BusRequest(payload: payload, echo: echo, addressing: addressing)
        let reply = ReplyInterpreter(lines, to: request, on: bus)
        return (reply.replies, reply.dropped)
    }

    @Test("Only the addressed ECU's frames count, whatever its identifier")
    func responder() {
        let body = AddressSwitchTests.body
        let (replies, dropped) = Self.read(
            ["7A806 62 C0 0B 01 02 03", "7E8 04 62 C0 0B 09", "7A9 04 62 C0 0B 09"],
            [0x22, 0xC0, 0x0B],
            echo: 2,
            body
        )
        #expect(replies == [.can11(0x7A8): .positive([[0x62, 0xC0, 0x0B, 1, 2, 3]])])
        #expect(dropped == 2)
    }

    @Test("Only frames from 7E8 to 7EF answer a functional request")
    func everybody() {
        let request = BusRequest(payload: [0x22, 0xF1, 0x90], echo: [0xF1, 0x90])
        let reply = ReplyInterpreter(["7A8 04 62 F1 90 01", "7EC 04 62 F1 90 02"], to: request, on: .can11at500)
        #expect(reply.replies == [.can11(0x7EC): .positive([[0x62, 0xF1, 0x90, 2]])] && reply.dropped == 1)
    }

    @Test("An extended address is removed from every frame, including those of a long reply")
    func addressExtension() {
        let (replies, dropped) = Self.read(
            ["607 F1 10 0A 62 DD BC 01 02", "607 F1 21 03 04 05 06 07 00"],
            [0x22, 0xDD, 0xBC],
            echo: 2,
            AddressSwitchTests.extended
        )
        #expect(replies == [.can11(0x607): .positive([[0x62, 0xDD, 0xBC, 1, 2, 3, 4, 5, 6, 7]])])
        #expect(dropped == 0)
        let (other, lost) = Self.read(
            ["607 F2 05 62 DD BC 01 02", "607 F1"],
            [0x22, 0xDD, 0xBC],
            echo: 2,
            AddressSwitchTests.extended
        )
        #expect(other.isEmpty && lost == 2)
    }

    @Test("A long reply with a lost frame is dropped")
    func lostFrame() {
        let (replies, dropped) = Self.read(
            ["607 F1 10 12 62 DD BC 01 02", "607 F1 22 03 04 05 06 07 08", "607 F1 23 03 04 05 06 07 08"],
            [0x22, 0xDD, 0xBC],
            echo: 2,
            AddressSwitchTests.extended
        )
        #expect(replies.isEmpty && dropped > 0)
    }

    @Test("Any other 29-bit identifier also stands for an ECU")
    func far() {
        let (replies, _) = Self.read(
            ["17FE0076 05 62 29 5A 01 02", "18DAF110 05 62 29 5A 03 04"],
            [0x22, 0x29, 0x5A],
            echo: 2,
            AddressSwitchTests.far,
            on: .can29at500
        )
        #expect(replies == [.can29Identifier(0x17FE_0076): .positive([[0x62, 0x29, 0x5A, 1, 2]])])
        #expect(ECUAddress.can29Identifier(0x17FE_0076).description == "17FE0076")
    }

    @Test(
        "If the reply may have any priority, the addressed ECU's counts, whatever stands before the addresses",
        arguments: ["18DAF111", "142AF111", "14DAF111"]
    )
    func open(identifier: String) throws {
        let (replies, dropped) = Self.read(
            ["\(identifier) 05 62 00 10 01 02", "18DAF112 05 62 00 10 03 04", "14DA11F1 03 22 00 10"],
            [0x22, 0x00, 0x10],
            echo: 2,
            AddressSwitchTests.open,
            on: .can29at500
        )
        #expect(replies.keys.map(\.description) == [identifier] && dropped == 2)
        #expect(replies.values.first == .positive([[0x62, 0x00, 0x10, 1, 2]]))
    }

    @Test("Two replies to a request to one ECU count once if they are equal, and else not at all")
    func rivals() {
        func read(_ last: String) -> (replies: [ECUAddress: ECUReply], dropped: Int) {
            Self.read(
                ["142AF111 05 62 00 10 01 02", "18DAF111 \(last)"],
                [0x22, 0x00, 0x10],
                echo: 2,
                AddressSwitchTests.open,
                on: .can29at500
            )
        }
        #expect(read("05 62 00 10 01 02").replies.count == 1 && read("05 62 00 10 01 02").dropped == 1)
        #expect(read("05 62 00 10 01 03").replies.isEmpty && read("05 62 00 10 01 03").dropped == 2)
        #expect(read("03 7F 22 31").replies.isEmpty)
    }

    @Test("On the older buses, a physical reply is addressed to the tester")
    func legacy() {
        let gm = Addressing(header: .legacy(0x6C, 0x10, 0xF1), responder: .legacy(0x10))
        let frame: [UInt8] = [0x6C, 0xF1, 0x10, 0x62, 0x11, 0x54, 0x7B]
        let line = (frame + [Checksum.j1850(frame)]).map(hexadecimal).joined()
        let (replies, _) = Self.read([line], [0x22, 0x11, 0x54], echo: 2, gm, on: .j1850VPW)
        #expect(replies == [.legacy(0x10): .positive([[0x62, 0x11, 0x54, 0x7B]])])
        let (everybody, dropped) = Self.read(
            [line],
            [0x22, 0x11, 0x54],
            echo: 2,
            AddressSwitchTests.battery,
            on: .j1850VPW
        )
        #expect(everybody.isEmpty && dropped == 1)
    }
}
