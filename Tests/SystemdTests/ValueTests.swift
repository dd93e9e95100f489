// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Systemd
import TestSupport
import Testing

@Suite("Values on D-Bus", .timeLimit(.minutes(10)))
struct ValueTests {
    private static let managedObjects = BusValue.dictionary(
        [
            .objectPath("/org/bluez/hci0"): .dictionary(
                [
                    .string("org.bluez.Adapter1"): .options(["Powered": .boolean(true), "UUIDs": .strings([])]),
                    .string("org.example.Empty"): .options([:]),
                ],
                key: "s",
                value: "a{sv}"
            ),
            .objectPath("/"): .dictionary([:], key: "s", value: "a{sv}"),
        ],
        key: "o",
        value: "a{sa{sv}}"
    )

    private static let values: [BusValue] = [
        .boolean(true), .boolean(false), .byte(0), .byte(255), .int16(.min), .int16(.max), .uint16(.max),
        .int32(.min), .int32(.max), .uint32(.max), .int64(.min), .int64(.max), .uint64(.max),
        .double(0.1), .double(-.infinity), .double(.leastNonzeroMagnitude),
        .string(""), .string("größer als 3 µ 😀"), .objectPath("/"), .objectPath("/org/bluez/hci0/dev_00_11"),
        .signature(""), .signature("a{oa{sa{sv}}}"),
        .bytes([]), .bytes(Array(0...255)), .bytes([UInt8](repeating: 7, count: 300_000)),
        .strings([]), .strings(["a", "", "c"]), .array([.bytes([1]), .bytes([])], of: "ay"),
        .array([.array([], of: "i"), .array([.int32(1)], of: "i")], of: "ai"),
        .structure([.byte(1), .string("x"), .structure([.double(2)])]),
        .array([.structure([.string("a"), .int32(1)])], of: "(si)"),
        .dictionary([.byte(1): .string("one"), .byte(2): .string("two")], key: "y", value: "s"),
        .options([:]), .options(["one": .uint16(1), "more": .options(["two": .strings(["x"])])]),
        .variant(.boolean(true)), .variant(.variant(.variant(.string("deep")))),
        Self.managedObjects, .variant(Self.managedObjects),
    ]

    @Test("Every type is returned unchanged")
    func roundTrip() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        for value in Self.values {
            #expect(try await client.call(echo.call("Echo", [value])) == [value])
        }
        #expect(try await client.call(echo.call("Echo", Self.values)) == Self.values)
        #expect(try await client.call(echo.call("Echo")) == [])
    }

    @Test("The receiver owns a copy of a file descriptor, which is closed with its last value")
    func descriptors() async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        var ends: [Int32] = [-1, -1]
        #expect(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        let other = ends[0]
        defer { Glibc.close(other) }
        do {
            let sent = BusValue.descriptor(OwnedDescriptor(ends[1]))
            let answer = try await client.call(echo.call("Echo", [sent, .uint16(517)]))
            guard case .descriptor(let received) = answer.first else {
                Issue.record("no descriptor in \(answer)")
                return
            }
            #expect(answer.last == .uint16(517))
            let number = received.take()
            #expect(number >= 0 && number != ends[1])
            #expect(received.take() == -1)
            var byte: UInt8 = 42
            #expect(unsafe write(number, &byte, 1) == 1)
            byte = 0
            #expect(unsafe read(other, &byte, 1) == 1)
            #expect(byte == 42)
            Glibc.close(number)
        }
        // The echo's copies are closed with its message.
        try await eventually("the end of the stream") {
            var byte: UInt8 = 0
            return unsafe recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }

    @Test(
        "An invalid value is rejected, and the connection continues",
        arguments: [
            BusValue.string("a\0b"), .objectPath("org/bluez"), .objectPath("/trailing/"), .objectPath("/nul\0"),
            .signature("a{vs}"), .array([.string("x"), .int32(1)], of: "s"), .array([], of: "{"),
            .structure([]), .array([], of: "()"), .variant(.structure([])), .array([.byte(1)], of: ""),
            .dictionary([.string("x"): .byte(1)], key: "s", value: "q"), .descriptor(OwnedDescriptor(-1)),
        ]
    )
    func nonsense(value: BusValue) async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let error = await #expect(throws: BusError.self) { try await client.call(echo.call("Echo", [value])) }
        guard case .invalid = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await #expect(throws: BusError.self) { try await client.emit(echo.signal("Nonsense", [.byte(1), value])) }
        client.post(echo.call("Echo", [value]))
        #expect(try await client.call(echo.call("Echo", [.byte(1)])) == [.byte(1)])
    }

    @Test(
        "A call with an invalid name is rejected",
        arguments: [
            MethodCall(":1.0", "no/path", "org.example.Echo", "Echo"),
            MethodCall(":1.0", "/nul\0", "org.example.Echo", "Echo"),
            MethodCall("not a name", "/", "org.example.Echo", "Echo"), MethodCall(":1.0", "/", "Echo", "Echo"),
            MethodCall(":1.0", "/", "org.example.Echo", "Ec ho"),
            MethodCall(":1.0", "/", "org.example.Echo", "Echo\0o"),
        ]
    )
    func invalidNames(call: MethodCall) async throws {
        let echo = try await Echo()
        let client = try await echo.client()
        let error = await #expect(throws: BusError.self) { try await client.call(call) }
        guard case .invalid = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await client.call(echo.call("Echo", [.byte(1)])) == [.byte(1)])
    }

    @Test("Accessors return nil for values of another type")
    func accessors() {
        #expect(BusValue.variant(.variant(.uint64(.max))).integer == nil)
        #expect(BusValue.variant(.int16(-3)).integer == -3)
        #expect(BusValue.variant(.objectPath("/")).text == "/")
        #expect(BusValue.byte(1).text == nil)
        #expect(BusValue.string("1").integer == nil)
        #expect(BusValue.variant(.boolean(true)).bool == true)
        #expect(BusValue.int32(1).bool == nil)
        #expect(BusValue.variant(.bytes([1])).byteArray == [1])
        #expect(BusValue.strings(["a"]).byteArray == nil)
        #expect(BusValue.variant(.strings(["a", "b"])).texts == ["a", "b"])
        #expect(BusValue.array([.byte(1)], of: "y").texts == [])
        #expect(BusValue.options(["a": .byte(1)]).entries == ["a": .variant(.byte(1))])
        #expect(BusValue.strings([]).entries == nil)
        #expect(Self.managedObjects.signature == "a{oa{sa{sv}}}")
    }
}
