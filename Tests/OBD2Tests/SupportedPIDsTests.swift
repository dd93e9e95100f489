// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Supported PIDs")
struct SupportedPIDsTests {
    @Test("The next bitmap is requested if the last bit of a bitmap announces it")
    func walk() throws {
        var supported = SupportedPIDs()
        #expect(supported.nextBitmap == 0x00)
        try supported.merge(base: 0x00, bitmap: bytes("BE1FA813"))
        #expect(supported.nextBitmap == 0x20)
        try supported.merge(base: 0x20, bitmap: bytes("80018001"))
        #expect(supported.nextBitmap == 0x40)
        try supported.merge(base: 0x40, bitmap: bytes("FED0D000"))
        #expect(supported.nextBitmap == nil)
        let expected = Table.vectors.rows
            .filter { ["BE1FA813", "80018001", "FED0D000"].contains($0["data_hex"]) }
            .flatMap { ($0["expected"] ?? "").split(separator: " ").map(String.init) }
        #expect(supported.pids.map(\.description) == expected)
        #expect(supported.contains(0x0C))
        #expect(supported.contains(0x00))
        #expect(!supported.contains(0x02))
    }

    @Test("The last bitmap announces no other")
    func last() throws {
        var supported = SupportedPIDs()
        for base in stride(from: 0, to: 256, by: 32) {
            try supported.merge(base: PID(rawValue: UInt8(base)), bitmap: [0xFF, 0xFF, 0xFF, 0xFF])
        }
        #expect(supported.pids.count == 255)
        #expect(supported.nextBitmap == nil)
    }

    @Test("A PID that is not a bitmap, or a wrong length, is refused")
    func refused() {
        var supported = SupportedPIDs()
        #expect(throws: DecodingError.notABitmap(0x0C)) { try supported.merge(base: 0x0C, bitmap: [0, 0, 0, 0]) }
        #expect(throws: DecodingError.wrongLength(expected: 4...4, actual: 3)) {
            try supported.merge(base: 0x00, bitmap: [0, 0, 0])
        }
        #expect(supported == SupportedPIDs())
        #expect(supported.bitmap(0x0C) == nil)
    }

    @Test("The bitmaps of an ECU lead to all its supported PIDs")
    func roundTrip() throws {
        let ecu = SupportedPIDs([0x01, 0x0C, 0x1F, 0x51, 0xA6] as [PID])
        #expect(ecu.bitmap(0x00) == bytes("80100003"))
        var tester = SupportedPIDs()
        while let base = tester.nextBitmap {
            try tester.merge(base: base, bitmap: try #require(ecu.bitmap(base)))
        }
        #expect(tester.pids == [0x01, 0x0C, 0x1F, 0x20, 0x40, 0x51, 0x60, 0x80, 0xA0, 0xA6])
        #expect(SupportedPIDs([0x00] as [PID]).pids.isEmpty)
        #expect(SupportedPIDs([0xFF] as [PID]).pids == [0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0, 0xE0, 0xFF])
    }
}
