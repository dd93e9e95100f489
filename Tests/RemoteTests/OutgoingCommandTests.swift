// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE
import Remote
import Testing

@Suite("The payload of a command")
struct OutgoingCommandTests {
    private static let now = Timestamp(milliseconds: 1_795_341_600_250)

    private static func command(validity: Duration = .seconds(300)) -> OutgoingCommand {
        OutgoingCommand(
            "clear_codes",
            ["confirm": ["P0301"]],
            for: "van-12",
            at: Self.now,
            validity: validity,
            id: "desk-1"
        )
    }

    @Test("Without a key the payload is the JSON of the contract, for one vehicle")
    func unsigned() throws {
        let json = JSON(payload: try Self.command().payload(signedBy: nil))
        #expect(
            json == [
                "id": "desk-1", "command": "clear_codes", "arguments": ["confirm": ["P0301"]], "vehicle": "van-12",
                "issued_at": .string(Self.now.description),
                "expires_at": .string((Self.now + .seconds(300)).description),
            ]
        )
    }

    @Test("With a key the payload is a token with the same content, which the key verifies")
    func signed() throws {
        let key = try JSONWebKey.generate(keyID: "anna-2026", members: ["iss": "anna"])
        let payload = try Self.command().payload(signedBy: key)
        #expect(CompactJWS.isLikely(payload))
        let verified = try CompactJWS(parsing: payload).verify(with: key.publicKey)
        #expect(verified.header.keyID == "anna-2026" && verified.header.type == "JWT")
        #expect(
            JSON(payload: verified.payload) == [
                "iss": "anna", "aud": "van-12", "jti": "desk-1", "iat": 1_795_341_600.25, "exp": 1_795_341_900.25,
                "command": "clear_codes", "arguments": ["confirm": ["P0301"]],
            ]
        )
    }

    @Test("A key without an issuer signs with its key id")
    func issuer() throws {
        let key = try JSONWebKey.generate(keyID: "anna-2026")
        let jws = try CompactJWS(parsing: Self.command().payload(signedBy: key))
        #expect(JSON(payload: jws.unverifiedPayload)["iss"] == "anna-2026")
        #expect(throws: JWSError.self) { try Self.command().payload(signedBy: key.publicKey) }
    }

    @Test("A command is valid for a day at most, and its id is unique and acceptable to agents")
    func bounds() {
        #expect(Self.command(validity: .seconds(1_000_000)).expiresAt == Self.now + .seconds(86_400))
        let ids = Set((0..<1000).map { _ in OutgoingCommand.newID() })
        #expect(ids.count == 1000)
        #expect(ids.allSatisfy { $0.utf8.count <= 64 && $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } })
    }
}
