// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Numbers have all digits of their width, or at least as many as asked for")
    func numbers() {
        #expect(UInt8(12).hexadecimal == "0C" && UInt32(0xC0FFEE).hexadecimal == "00C0FFEE")
        #expect(UInt16(0x7E0).hexadecimal(digits: 3) == "7E0" && UInt32(0x7E0).hexadecimal(digits: 1) == "7E0")
        #expect(
            UInt64(0xAB).hexadecimal(digits: 4, uppercase: false) == "00ab" && UInt8(0).hexadecimal(digits: 1) == "0"
        )
    }

    @Test("Every byte is written and read back")
    func bytes() {
        let bytes = [UInt8](0...255)
        #expect(([0x22, 0xF1, 0x9] as [UInt8]).hexadecimal == "22 F1 09")
        #expect(([0x22, 0xF1] as [UInt8]).hexadecimal(separator: "") == "22F1")
        #expect([UInt8](hexadecimal: bytes.hexadecimal(separator: "")) == bytes)
        #expect([UInt8](hexadecimal: bytes.hexadecimal(separator: "", uppercase: false)) == bytes)
        #expect([UInt8](hexadecimal: "") == [])
    }

    @Test("Anything but pairs of digits is refused", arguments: ["0", "0g", "+1", "-1", " 1", "1 ", "0x", "１２", "ä"])
    func invalid(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }
}
