// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Frames read from lines")
struct FrameTests {
    @Test(
        "The sender is read from the identifier (quirks 28 and 29)",
        arguments: [
            ("7E8064100BE3EB811", .can11at500, .can11(0x7E8)), ("7EF064100BE3EB811", .can11at250, .can11(0x7EF)),
            ("18DAF110064100BE3EB811", .can29at500, .can29(0x10)),
            ("18DAF1FF064100BE3EB811", .can29at250, .can29(0xFF)),
        ] as [(String, BusProtocol, ECUAddress)]
    )
    func can(digits: String, bus: BusProtocol, source: ECUAddress) throws {
        let frame = try #require(Frame(digits, on: bus))
        #expect(frame.source == source)
        #expect(frame.bytes == [0x06, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11])
    }

    @Test(
        "Half bytes, other identifiers, no data and too much data are rejected (quirk 30)",
        arguments: [
            ("7E8064100BE3EB81", .can11at500), ("7E8", .can11at500), ("7E", .can11at500), ("", .can11at500),
            ("7E70641", .can11at500), ("7F00641", .can11at500), ("4100BE3EB811", .can11at500),
            ("7E8010203040506070809", .can11at500),
            // A frame with its length behind the identifier, as ATD1 prints it.
            ("7E88064100BE3EB811AA", .can11at500),
            ("18DAF110064100BE3EB811", .can11at500), ("7E8064100BE3EB811", .can29at500), ("18DAF110", .can29at500),
            ("18DB33F10641", .can29at500), ("18DA10F10641", .can29at500), ("18DAF11006410", .can29at500),
        ] as [(String, BusProtocol)]
    )
    func noFrame(digits: String, bus: BusProtocol) {
        #expect(Frame(digits, on: bus) == nil)
    }

    @Test("The checksum of every protocol matches a hand-computed value")
    func checkValue() {
        #expect(Checksum.j1850(Array("123456789".utf8)) == 0x4B)
        #expect(Checksum.j1850([0x41, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]) == 0x90)
        #expect(Checksum.sum([0x48, 0x6B, 0x10, 0x41, 0x00, 0xBE, 0x1F, 0xB8, 0x11]) == 0xAA)
        #expect(Checksum.sum([0xFF, 0x02]) == 0x01)
    }

    @Test(
        "A frame of the older buses is accepted only with its checksum (quirk 39)",
        arguments: [
            ("416B104100BE3EB81190", .j1850PWM), ("486B104100BE3EB811FA", .j1850VPW),
            ("486B104100BE3EB811C9", .iso9141),
            ("86F1104100BE3EB8118D", .kwp5Baud), ("86F1104100BE3EB8118D", .kwpFast),
            // The length in a byte of its own.
            ("80F110064100BE3EB8118D", .kwp5Baud), ("80F110064100BE3EB8118D", .kwpFast),
        ] as [(String, BusProtocol)]
    )
    func legacy(digits: String, bus: BusProtocol) throws {
        let frame = try #require(Frame(digits, on: bus))
        #expect(frame.source == .legacy(0x10))
        #expect(frame.bytes == [0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11])
        let read = bytes(hexadecimal: digits.utf8Span.span)
        let whole = try #require(read)
        for index in whole.indices {
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << UInt8(bit)
                #expect(Frame(damaged.map(hexadecimal).joined(), on: bus) == nil, "byte \(index), bit \(bit)")
            }
        }
        #expect(Frame(String(digits.dropLast(2)), on: bus) == nil)
        for other in BusProtocol.allCases where other != bus && !(bus.isKWP && other.isKWP) {
            #expect(Frame(digits, on: other) == nil, "\(other)")
        }
    }

    @Test("A frame of the older buses holds a service byte and at most seven bytes")
    func legacyLengths() {
        #expect(Frame("486B10C3", on: .iso9141) == nil)
        #expect(Frame(Self.iso9141([0x41]), on: .iso9141)?.bytes == [0x41])
        #expect(Frame(Self.iso9141([UInt8](repeating: 1, count: 7)), on: .iso9141)?.bytes.count == 7)
        #expect(Frame(Self.iso9141([UInt8](repeating: 1, count: 8)), on: .iso9141) == nil)
    }

    private static func iso9141(_ data: [UInt8]) -> String {
        let bytes: [UInt8] = [0x48, 0x6B, 0x10] + data
        return (bytes + [Checksum.sum(bytes)]).map(hexadecimal).joined()
    }

    @Test("Addresses are printed like scan tools print them, and are sorted")
    func addresses() {
        let sorted: [ECUAddress] = [.legacy(0x10), .legacy(0x18), .can11(0x7E8), .can11(0x7E9), .can29(0x10)]
        #expect(sorted.shuffled().sorted() == sorted)
        #expect(sorted.map(\.description) == ["10", "18", "7E8", "7E9", "18DAF110"])
    }
}

extension BusProtocol {
    fileprivate var isKWP: Bool { self == .kwp5Baud || self == .kwpFast }
}
