// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("Vehicle information")
struct VehicleInformationTests {
    private static let layouts: [MessageLayout] = [.can, .legacy]
    private static let text = "1D4GP00R55B123456"

    private func reply(_ type: InfoType, _ messages: [String]) throws -> Reply {
        try Reply(messages: messages.map(bytes), to: .vehicleInformation(type))
    }

    private func vin(_ messages: [String], _ layout: MessageLayout) throws -> VIN {
        try VehicleInformation.vin(self.reply(.vin, messages), layout: layout)
    }

    @Test("The worked examples of a VIN decode on both kinds of bus")
    func examples() throws {
        #expect(try self.vin(["490201314434 47503030523535 42313233343536"], .can).description == Self.text)
        let legacy = ["49020100000031", "49020244344750", "49020330305235", "49020435423132", "49020533343536"]
        #expect(try self.vin(legacy, .legacy).description == Self.text)
        #expect(try self.vin(legacy.reversed(), .legacy).description == Self.text)
        #expect(try self.vin(legacy + legacy.suffix(1), .legacy).description == Self.text)
    }

    @Test("Padding around a VIN is removed", arguments: ["00", "FF", "20", "00FF20"])
    func padding(_ padding: String) throws {
        let digits = "31443447503030523535 42313233343536"
        #expect(try self.vin(["490201" + padding + digits], .can).description == Self.text)
        #expect(try self.vin(["490201" + digits + padding], .can).description == Self.text)
    }

    @Test("Padding alone means no VIN", arguments: ["490201", "49020100000000", "490201FFFFFFFF", "4902012020"])
    func unprogrammed(_ message: String) {
        #expect(throws: DecodingError.notProgrammed) { try self.vin([message], .can) }
    }

    @Test(
        "An invalid VIN is refused",
        arguments: [
            "1D4GP00R55B12345", "1D4GP00R55B1234567", "1D4GP00R55B12345I", "1D4GP00R55B12345O", "1D4GP00R55B12345Q",
            "1d4GP00R55B123456", "1D4GP00R5 B123456", "1D4GP00R55B12345é", "00000000000000000",
        ]
    )
    func noVIN(_ text: String) {
        #expect(VIN(text) == nil)
        let message = [0x49, 0x02, 0x01] + Array(text.utf8)
        #expect(throws: DecodingError.invalidVIN(Array(text.utf8))) {
            try VehicleInformation.vin(Reply(messages: [message], to: .vehicleInformation(.vin)), layout: .can)
        }
    }

    @Test("A broken sequence of numbered messages is refused")
    func brokenSequence() {
        let messages = ["49020100000031", "49020244344750", "49020330305235", "49020435423132", "49020533343536"]
        for missing in messages.indices.dropLast() {
            var rest = messages
            rest.remove(at: missing)
            #expect(throws: DecodingError.brokenSequence(at: missing + 1)) { try self.vin(rest, .legacy) }
        }
        #expect(throws: (any Error).self) { try self.vin(messages.dropLast(), .legacy) }
        #expect(throws: DecodingError.brokenSequence(at: 5)) {
            try self.vin(messages + ["49020533343537"], .legacy)
        }
        #expect(throws: DecodingError.wrongLength(expected: 5...5, actual: 4)) {
            try self.vin(["490201313233"], .legacy)
        }
    }

    @Test("A reply to another InfoType is refused")
    func otherType() throws {
        let reply = try self.reply(.ecuName, ["490A01"])
        #expect(throws: DecodingError.wrongEcho(expected: [0x02], actual: [0x0A])) {
            try VehicleInformation.vin(reply, layout: .can)
        }
    }

    @Test("Every item survives encoding and decoding", arguments: Self.layouts)
    func roundTrip(_ layout: MessageLayout) throws {
        let vin = try #require(VIN(Self.text))
        let vinReply = VehicleInformation.encode(vin: vin, layout: layout)
        #expect(vinReply.count == (layout == .can ? 1 : 5))
        #expect(
            try VehicleInformation.vin(Reply(messages: vinReply, to: .vehicleInformation(.vin)), layout: layout) == vin
        )

        let ids = ["37820-RAA-A130", "", "SIXTEEN-LETTERS!"]
        let idReply = VehicleInformation.encode(calibrationIDs: ids, layout: layout)
        #expect(idReply.count == (layout == .can ? 1 : 12))
        #expect(
            try VehicleInformation.calibrationIDs(
                Reply(messages: idReply, to: .vehicleInformation(.calibrationIDs)),
                layout: layout
            ) == ids
        )

        let numbers: [UInt32] = [0x0000_00FF, 0xDEAD_BEEF]
        let numberReply = VehicleInformation.encode(calibrationVerificationNumbers: numbers, layout: layout)
        #expect(numberReply.count == (layout == .can ? 1 : 2))
        #expect(
            try VehicleInformation.calibrationVerificationNumbers(
                Reply(messages: numberReply, to: .vehicleInformation(.calibrationVerificationNumbers)),
                layout: layout
            ) == ["000000FF", "DEADBEEF"]
        )

        let name = VehicleInformation.ECUName(acronym: "ECM", name: "EngineControl")
        let nameReply = VehicleInformation.encode(ecuName: name, layout: layout)
        #expect(nameReply.count == (layout == .can ? 1 : 5))
        #expect(
            try VehicleInformation.ecuName(
                Reply(messages: nameReply, to: .vehicleInformation(.ecuName)),
                layout: layout
            ) == name
        )

        let types: [InfoType] = [.vin, .calibrationIDs, .calibrationVerificationNumbers, .ecuName]
        let typeReply = VehicleInformation.encode(supported: types, layout: layout)
        #expect(typeReply == [bytes(layout == .can ? "4900 54400000" : "490001 54400000")])
        #expect(
            try VehicleInformation.supported(
                Reply(messages: typeReply, to: .vehicleInformation(.supported)),
                layout: layout
            ) == types
        )
    }

    @Test("A wrong number of items is refused")
    func counts() throws {
        #expect(throws: DecodingError.wrongCount(declared: 2, present: 1)) {
            try VehicleInformation.calibrationVerificationNumbers(
                self.reply(.calibrationVerificationNumbers, ["49060201020304"]),
                layout: .can
            )
        }
        #expect(throws: DecodingError.wrongCount(declared: 2, present: 1)) {
            try VehicleInformation.calibrationIDs(
                self.reply(.calibrationIDs, (1...5).map { "49040\($0)41424344" }),
                layout: .legacy
            )
        }
        #expect(
            try VehicleInformation.calibrationVerificationNumbers(
                self.reply(.calibrationVerificationNumbers, ["4906010102030400"]),
                layout: .can
            ) == ["01020304"]
        )
    }

    @Test("An ECU name without a dash has no acronym, and an empty one is refused")
    func ecuNames() throws {
        let plain = VehicleInformation.ECUName(acronym: "", name: "GEARBOX")
        let message = bytes("490A01") + Array("GEARBOX".utf8) + [UInt8](repeating: 0, count: 13)
        let reply = try Reply(messages: [message], to: .vehicleInformation(.ecuName))
        #expect(try VehicleInformation.ecuName(reply, layout: .can) == plain)
        let empty = bytes("490A01") + [UInt8](repeating: 0, count: 20)
        #expect(throws: DecodingError.notProgrammed) {
            try VehicleInformation.ecuName(
                Reply(messages: [empty], to: .vehicleInformation(.ecuName)),
                layout: .can
            )
        }
    }

    @Test("Bytes that are not printable become the replacement character")
    func noText() throws {
        let message = bytes("490401") + [0x41, 0x07, 0x42] + [UInt8](repeating: 0, count: 13)
        let reply = try Reply(messages: [message], to: .vehicleInformation(.calibrationIDs))
        #expect(try VehicleInformation.calibrationIDs(reply, layout: .can) == ["A\u{FFFD}B"])
    }
}
