// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("The numbers of the InfoTypes")
struct InfoTypeTests {
    @Test(
        "InfoType 0D is the engine serial number and 0F the type approval number",
        arguments: [(.engineSerialNumber, "0D"), (.typeApprovalNumber, "0F")] as [(InfoType, String)]
    )
    func numbers(_ type: InfoType, _ digits: String) throws {
        #expect(Request.vehicleInformation(type).payload == bytes("09" + digits))
        let text = Array("EA888-0012345678".utf8) + [0]
        let reply = try Reply(messages: [bytes("49" + digits + "01") + text], to: .vehicleInformation(type))
        #expect(try VehicleInformation.number(reply, layout: .can) == "EA888-0012345678")
    }

    @Test("InfoTypes 0C and 0E count the messages of the next one")
    func counts() {
        #expect(InfoType(rawValue: 0x0C) == InfoType.engineSerialNumber.messageCount)
        #expect(InfoType(rawValue: 0x0E) == InfoType.typeApprovalNumber.messageCount)
        #expect(InfoType.engineSerialNumber.messageCount != nil && InfoType.typeApprovalNumber.messageCount != nil)
    }

    @Test("The bitmap of an ECU with both numbers has bits 0D and 0F")
    func bitmap() throws {
        let reply = try Reply(messages: [bytes("4900 554A0000")], to: .vehicleInformation(.supported))
        let types = try VehicleInformation.supported(reply, layout: .can)
        #expect(types.suffix(3) == [.ecuName, .engineSerialNumber, .typeApprovalNumber])
    }
}
