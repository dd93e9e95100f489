// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("A reply to several PIDs")
struct CurrentDataTests {
    private func walk(_ data: String, _ requested: Set<PID>? = nil) throws -> [PID: [UInt8]] {
        let parts = try CurrentData.walk(bytes(data), requested: requested)
        return Dictionary(uniqueKeysWithValues: parts.map { ($0.pid, $0.data) })
    }

    @Test("A reply is split by the lengths of the catalogue")
    func parts() throws {
        let parts = try CurrentData.walk(bytes("0D32 0C1AF8 057B"), requested: [0x05, 0x0C, 0x0D])
        #expect(parts.map(\.pid) == [0x0D, 0x0C, 0x05])
        #expect(parts.map(\.data) == [bytes("32"), bytes("1AF8"), bytes("7B")])
        #expect(try self.walk("0D32") == [0x0D: [0x32]])
    }

    @Test("A PID that the ECU omits is not an error")
    func leftOut() throws {
        #expect(try self.walk("0D32", [0x05, 0x0C, 0x0D]) == [0x0D: [0x32]])
    }

    @Test(
        "One error refuses the whole reply",
        arguments: [
            ("", DecodingError.empty),
            ("0D32 0F50", .unexpectedPID(0x0F)),
            ("0D32 0D33", .unexpectedPID(0x0D)),
            ("0D32 0C1A", .wrongLength(expected: 2...2, actual: 1)),
            ("0D32 0C", .wrongLength(expected: 2...2, actual: 0)),
            ("0D32 00", .unexpectedPID(0x00)),
        ]
    )
    func refused(_ data: String, _ error: DecodingError) {
        #expect(throws: error) { try CurrentData.walk(bytes(data), requested: [0x0C, 0x0D]) }
    }

    @Test("A trim has a second byte if the length of the message requires it")
    func trims() throws {
        let requested: Set<PID> = [0x06, 0x07, 0x0D]
        #expect(try self.walk("0680 0781 0D32", requested) == [0x06: [0x80], 0x07: [0x81], 0x0D: [0x32]])
        #expect(
            try self.walk("068082 078183 0D32", requested) == [0x06: [0x80, 0x82], 0x07: [0x81, 0x83], 0x0D: [0x32]]
        )
        // The second byte of 06 looks like a requested PID, but then the rest does not fit.
        #expect(try self.walk("06800D 0781 0D32", requested) == [0x06: [0x80, 0x0D], 0x07: [0x81], 0x0D: [0x32]])
    }

    @Test("A reply with two exact readings is ambiguous")
    func ambiguous() throws {
        // 06 80 | 0D 0D fits; 06 80 0D leaves a rest that does not fit.
        #expect(try self.walk("06800D0D", [0x06, 0x0D]) == [0x06: [0x80], 0x0D: [0x0D]])
        // 06 80 | 07 09 | 08 80 and 06 80 07 | 09 08 80 both use it up.
        #expect(throws: DecodingError.ambiguous) { try self.walk("068007090880", [0x06, 0x07, 0x08, 0x09]) }
    }

    @Test("A PID of unknown length is allowed only if no other PID can follow")
    func unknownLength() throws {
        #expect(try self.walk("B4010203", [0xB4]) == [0xB4: [1, 2, 3]])
        #expect(try self.walk("0D32 B4010203", [0x0D, 0xB4]) == [0x0D: [0x32], 0xB4: [1, 2, 3]])
        #expect(throws: DecodingError.unknownLength(0xB4)) { try self.walk("B4010203 0D32", [0x0D, 0xB4]) }
        #expect(throws: DecodingError.unknownLength(0xB4)) { try self.walk("B4010203") }
        #expect(throws: DecodingError.unknownLength(0xB4)) { try self.walk("B4", [0xB4]) }
        #expect(throws: DecodingError.unknownPID(0xF0)) { try self.walk("F001", [0xF0]) }
    }
}
