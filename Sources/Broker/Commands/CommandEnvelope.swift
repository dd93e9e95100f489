// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE

/// The parts that every command has: its id, name, times, audience and signer.
///
/// A command is a JSON object, or the payload of a compact JWS. In a JWS, the parts have the names of RFC 7519: `jti`,
/// `iss`, `aud`, `iat`, `exp`.
struct CommandEnvelope: Sendable {
    let id: String
    let name: String
    let arguments: JSONReader
    let issuedAt: Timestamp
    let expiresAt: Timestamp
    /// The names of the vehicles that the command is for; empty for any vehicle.
    let audience: Set<String>
    /// The signer; nil for an unsigned command.
    let signer: Signer?

    /// The largest number of vehicles in an audience.
    private static let audienceLimit = 16
    /// The largest number of bytes in the name of a vehicle; no topic level of a vehicle is longer.
    private static let vehicleLimit = 256

    /// Reads the object of an unsigned command.
    init(unsigned reader: JSONReader) throws(JSONError) {
        try reader.allow(["id", "command", "arguments", "issued_at", "expires_at", "vehicle"])
        self.id = try Self.id(reader, "id")
        self.name = try reader.string("command")
        self.issuedAt = try reader.time("issued_at")
        self.expiresAt = try reader.time("expires_at")
        guard self.issuedAt < self.expiresAt else { throw reader.error("expires_at", "a time after issued_at") }
        self.audience = try Self.audience(reader, "vehicle", [try reader.optionalString("vehicle")].compactMap(\.self))
        self.arguments = try Self.arguments(reader)
        self.signer = nil
    }

    /// Reads the claims of a signed command, whose signature is verified.
    init(claims reader: JSONReader, by signer: Signer) throws(JSONError) {
        try reader.allow(["jti", "iss", "aud", "iat", "exp", "command", "arguments"])
        self.id = try Self.id(reader, "jti")
        self.name = try reader.string("command")
        self.issuedAt = try reader.date("iat")
        self.expiresAt = try reader.date("exp")
        guard self.issuedAt < self.expiresAt else { throw reader.error("exp", "a time after iat") }
        self.arguments = try Self.arguments(reader)
        self.signer = signer
        if case .array = reader["aud"] {
            self.audience = try Self.audience(reader, "aud", try reader.strings("aud"))
        } else {
            self.audience = try Self.audience(reader, "aud", [try reader.string("aud")])
        }
        guard !self.audience.isEmpty else { throw reader.error("aud", "1 to \(Self.audienceLimit) vehicles") }
        let issuer = try reader.string("iss")
        guard issuer.utf8.elementsEqual(signer.issuer.utf8) else {
            throw JSONError(
                reason: .badSignature,
                message:
                    "\(reader.path).iss: the key belongs to \(signer.issuer), not to \(issuer.prefix(bytes: 64))"
            )
        }
    }

    private static func id(_ reader: JSONReader, _ key: String) throws(JSONError) -> String {
        let id = try reader.string(key)
        guard Self.isID(id) else { throw reader.error(key, "1 to 64 of the characters A-Z a-z 0-9 . _ : -") }
        return id
    }

    /// Returns the names of vehicles, whose number and lengths are checked before any of them is hashed.
    private static func audience(
        _ reader: JSONReader,
        _ key: String,
        _ names: [String]
    ) throws(JSONError) -> Set<String> {
        guard names.count <= Self.audienceLimit else {
            throw reader.error(key, "1 to \(Self.audienceLimit) vehicles")
        }
        guard names.allSatisfy({ $0.utf8.count <= Self.vehicleLimit }) else {
            throw reader.error(key, "the name of a vehicle, at most \(Self.vehicleLimit) bytes")
        }
        return Set(names)
    }

    private static func arguments(_ reader: JSONReader) throws(JSONError) -> JSONReader {
        do throws(JSONError) {
            return try reader.optionalObject("arguments")
        } catch {
            throw JSONError(reason: .badArguments, message: error.message)
        }
    }

    /// Whether the text is 1 to 64 of `A-Za-z0-9._:-`.
    static func isID(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ".:_-".utf8.contains(byte)
                }
            }
    }
}
