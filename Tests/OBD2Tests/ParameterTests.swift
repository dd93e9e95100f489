// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Decoding and encoding a parameter")
struct ParameterTests {
    private func parameter(_ pid: PID) throws -> Parameter {
        try #require(Parameter.withPID(pid))
    }

    private func values(_ pid: PID, _ data: String) throws -> [String: DecodedValue] {
        let values = try self.parameter(pid).decode(bytes(data))
        return Dictionary(uniqueKeysWithValues: values.map { ($0.field.key, $0.value) })
    }

    @Test("A wrong length is refused", arguments: ["", "0C", "0C1AF8"])
    func length(_ data: String) throws {
        let parameter = try self.parameter(0x0C)
        #expect(throws: DecodingError.wrongLength(expected: 2...2, actual: bytes(data).count)) {
            try parameter.decode(bytes(data))
        }
    }

    @Test("The second byte of a trim may be missing")
    func optionalByte() throws {
        #expect(try self.values(0x06, "80") == ["value": .number(0)])
        #expect(try self.values(0x06, "8040") == ["value": .number(0)])
        #expect(try self.values(0x55, "80") == ["bank1": .number(0)])
        #expect(try self.values(0x55, "8000") == ["bank1": .number(0), "bank3": .number(-100)])
        #expect(try self.parameter(0x55).encode(["bank1": .number(0)]) == [0x80])
    }

    @Test("A trim of FF has no value, because the sensor is not used for it")
    func unusedTrim() throws {
        #expect(try self.values(0x14, "5AFF") == ["voltage": .number(0.45)])
        #expect(try self.parameter(0x14).encode(["voltage": .number(0.45)]) == bytes("5AFF"))
        #expect(try self.parameter(0x14).encode(["voltage": .number(0.45), "trim": .number(200)]) == bytes("5AFE"))
    }

    @Test("Two fields that share bits have no value if both support bits are set")
    func rivals() throws {
        #expect(try self.values(0x6B, "1128000000").isEmpty)
        #expect(try self.values(0x6B, "1028000000") == ["a_b1s1_wide": .number(120)])
        #expect(try self.values(0x6F, "052800").isEmpty)
    }

    @Test("A code has its label; an unknown code has none")
    func labels() throws {
        #expect(try self.values(0x51, "04") == ["value": .code(4, label: "diesel")])
        #expect(try self.values(0x1C, "0E") == ["value": .code(14, label: nil)])
        #expect(try self.values(0x03, "0203")["system2"] == .code(3, label: nil))
    }

    @Test("A parameter with an unknown layout has no values and does not encode")
    func unknownLayout() throws {
        #expect(try self.values(0xB4, "0102030405").isEmpty)
        #expect(try self.parameter(0xB4).encode([:]) == nil)
        #expect(try self.parameter(0xA7).encode([:]) == nil)
    }

    @Test("Values outside the range are clamped to it")
    func clamping() throws {
        let speed = try self.parameter(0x0D)
        #expect(speed.encode(["value": .number(1e300)]) == [0xFF])
        #expect(speed.encode(["value": .number(-.infinity)]) == [0x00])
        #expect(speed.encode(["value": .number(99.6)]) == [100])
        #expect(try self.parameter(0x32).encode(["value": .number(-1e9)]) == bytes("8000"))
        #expect(try self.parameter(0x51).encode(["value": .code(-3, label: nil)]) == [0])
    }

    @Test("A value of another kind or key does not encode")
    func unfit() throws {
        let speed = try self.parameter(0x0D)
        #expect(speed.encode(["value": .number(.nan)]) == nil)
        #expect(speed.encode(["value": .flag(true)]) == nil)
        #expect(speed.encode(["speed": .number(1)]) == nil)
        #expect(try self.parameter(0x13).encode(["present": .names(["B9S9"])]) == nil)
        #expect(try self.parameter(0x00).encode(["supported": .names(["21"])]) == nil)
        #expect(try self.parameter(0x02).encode(["dtc": .text("X0000")]) == nil)
        #expect(try self.parameter(0x01).encode(["ignition": .text("steam")]) == nil)
        #expect(try self.parameter(0x01).encode(["supported": .names(["horn"])]) == nil)
        #expect(try self.parameter(0x01).encode(["dtc_count": .number(.infinity)]) == nil)
    }

    @Test("The support bits of the encoded fields are set")
    func supportBits() throws {
        #expect(try self.parameter(0x66).encode(["b": .number(12.5)]) == bytes("02 0000 0190"))
    }

    @Test("A field decodes to its declared kind of value")
    func kinds() throws {
        for parameter in Parameter.catalogue {
            for value in try parameter.decode([UInt8](repeating: 0, count: parameter.length?.upperBound ?? 0)) {
                switch (value.field.kind, value.value) {
                case (.number, .number), (.flag, .flag), (.code, .code), (.text, .text), (.names, .names): break
                default: Issue.record("\(value.field.name): \(value.field.kind), but \(value.value)")
                }
            }
        }
    }
}
