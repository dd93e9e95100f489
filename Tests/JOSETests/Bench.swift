// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import FoundationEssentials
import JOSE
import TestSupport
import Testing

/// A private key, and a set that trusts it.
struct Signer {
    let key: JSONWebKey
    let trusted: JSONWebKeySet

    init(_ name: String = "alice", members: [String: JSON] = [:]) throws {
        self.key = try JSONWebKey.generate(keyID: name, members: members)
        self.trusted = try keySet([self.key.publicKey.json])
    }

    func sign(_ payload: String, type: String? = nil) throws -> String {
        try CompactJWS.sign(Array(payload.utf8), with: self.key, type: type)
    }

    /// Verifies a text as a recipient does.
    func read(_ text: String) throws(JWSError) -> CompactJWS.Verified { try self.read(Array(text.utf8)) }

    func read(_ text: [UInt8]) throws(JWSError) -> CompactJWS.Verified {
        try CompactJWS(parsing: text).verify(with: self.trusted)
    }

    /// Returns the error with which a recipient refuses a text, or `nil` if it accepts the text.
    func refusal(_ text: [UInt8]) -> JWSError? {
        do throws(JWSError) { _ = try self.read(text) } catch { return error }
        return nil
    }

    func refusal(_ text: String) -> JWSError? { self.refusal(Array(text.utf8)) }
}

func keySet(_ keys: [JSON]) throws(JWKError) -> JSONWebKeySet {
    try JSONWebKeySet(parsing: Array(JSON.object(["keys": .array(keys)]).text.utf8))
}

/// Encodes three parts and joins them to a compact text.
func compact(_ header: [UInt8], _ payload: [UInt8], _ signature: [UInt8]) -> String {
    [header, payload, signature].map(Base64URL.encode).joined(separator: ".")
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// Runs the script that uses joserfc, in the virtual environment that `make test` installs.
func envelopes(_ arguments: String...) async throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let environment = ProcessInfo.processInfo.environment["OBD_AGENT_VENV"] ?? "\(root)/.build/venv"
    let script = "\(root)/Tests/JOSETests/Python/envelopes.py"
    return try await Program(path: "\(environment)/bin/python").run([script] + arguments)
}
