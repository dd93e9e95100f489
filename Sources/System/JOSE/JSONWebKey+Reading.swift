// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension JSONWebKey {
    /// Reads the JSON of one key, with or without a private part; refuses everything but P-256 and ES256.
    package init(parsing bytes: [UInt8]) throws(JWKError) {
        try self.init(JSON(jwk: bytes, sizeLimit: Self.sizeLimit))
    }

    /// Reads a key from a JSON object (RFC 7517 section 4).
    ///
    /// `use`, `alg` and `key_ops` are optional. If they are present, they must allow signatures with ES256.
    init(_ json: JSON) throws(JWKError) {
        var members = try json.object(at: "")
        self.keyID = try Self.identifier(members.removeValue(forKey: "kid"))
        try Self.check(members.removeValue(forKey: "kty"), is: "EC", at: "kty")
        try Self.check(members.removeValue(forKey: "crv"), is: "P-256", at: "crv")
        self.x = try Self.number(members.removeValue(forKey: "x"), at: "x")
        self.y = try Self.number(members.removeValue(forKey: "y"), at: "y")
        self.d = if let d = members.removeValue(forKey: "d") { try Self.number(d, at: "d") } else { nil }
        for (name, only) in [("use", "sig"), ("alg", "ES256")] {
            if let value = members[name] { try Self.check(value, is: only, at: name) }
        }
        if let operations = members["key_ops"] { try Self.check(operations, names: self.d == nil ? "verify" : "sign") }
        self.members = members
        try self.checkPoint()
    }

    private static func identifier(_ json: JSON?) throws(JWKError) -> String? {
        guard let json else { return nil }
        let name = try json.string(at: "kid")
        guard Self.isIdentifier(name) else { throw JWKError(.identifier(limit: Self.keyIDLimit), at: "kid") }
        return name
    }

    private static func check(_ json: JSON?, is only: String, at place: String) throws(JWKError) {
        guard let json else { throw JWKError(.missing, at: place) }
        let text = try json.string(at: place)
        guard text == only else { throw JWKError(.value(expected: only, found: text), at: place) }
    }

    /// Checks that `key_ops` includes the operation that the key is for (RFC 7517 section 4.3).
    private static func check(_ operations: JSON, names operation: String) throws(JWKError) {
        guard case .array(let names) = operations else {
            throw JWKError(.kind(expected: "an array", found: operations.kind), at: "key_ops")
        }
        guard names.contains(.string(operation)) else {
            throw JWKError(.value(expected: operation, found: JSON.array(names).text), at: "key_ops")
        }
    }

    /// Reads a coordinate or the private number, which always has 32 bytes (RFC 7518 section 6.2.1.2).
    private static func number(_ json: JSON?, at place: String) throws(JWKError) -> [UInt8] {
        guard let json else { throw JWKError(.missing, at: place) }
        guard let bytes = Base64URL.decode(try json.string(at: place).utf8) else {
            throw JWKError(.notBase64URL, at: place)
        }
        guard bytes.count == 32 else { throw JWKError(.length(bytes.count), at: place) }
        return bytes
    }

    /// The order of the curve (SEC 2 section 2.4.2), above all valid private numbers.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    private func checkPoint() throws(JWKError) {
        guard KeyHandle(self.publicKey) != nil else { throw JWKError(.notOnCurve, at: "x") }
        guard let d = self.d else { return }
        // libcjose computes the point from the private number, and does not compare it with x and y.
        guard d.contains(where: { $0 != 0 }), d.lexicographicallyPrecedes(Self.order),
            let made = try KeyHandle(self)?.json().object(at: ""), made["x"] == self.required["x"],
            made["y"] == self.required["y"]
        else { throw JWKError(.notAPair, at: "d") }
    }
}

extension JSON {
    /// Parses the JSON of a key or of a key set.
    init(jwk bytes: [UInt8], sizeLimit: Int) throws(JWKError) {
        guard bytes.count <= sizeLimit else { throw JWKError(.tooLarge(limit: sizeLimit)) }
        do throws(JSONParsingError) {
            self = try JSON(parsing: bytes, depthLimit: 16)
        } catch {
            throw JWKError(.notJSON(error))
        }
    }

    func object(at place: String) throws(JWKError) -> [String: JSON] {
        guard case .object(let object) = self else {
            throw JWKError(.kind(expected: "an object", found: self.kind), at: place)
        }
        return object
    }

    func string(at place: String) throws(JWKError) -> String {
        guard case .string(let string) = self else {
            throw JWKError(.kind(expected: "a string", found: self.kind), at: place)
        }
        return string
    }
}
