// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE

/// Reads the payload of a command.
///
/// Everything unexpected is refused, with the place in the JSON.
package enum CommandDecoder {
    /// The largest payload of a signed command, in bytes.
    static let limit = 64 * 1024
    /// The largest payload of an unsigned command, in bytes.
    ///
    /// The limit also applies to the payload of a signed command that is read before its signature is verified.
    static let unsignedLimit = 8 * 1024
    /// The largest number of nested JSON arrays and objects.
    static let depthLimit = 16

    /// Reads a command.
    ///
    /// - Parameters:
    ///   - keys: the keys whose signatures count.
    ///   - known: the names of the custom and the derived parameters.
    package static func decode(
        _ payload: [UInt8],
        keys: TrustedKeys = .none,
        known: KnownNames = KnownNames()
    ) throws(Refusal) -> Command {
        guard payload.count <= Self.limit else {
            throw Self.malformed("a command has at most \(Self.limit) bytes; this has \(payload.count)")
        }
        guard CompactJWS.isLikely(payload) else {
            guard payload.count <= Self.unsignedLimit else {
                throw Self.malformed(
                    "an unsigned command has at most \(Self.unsignedLimit) bytes; this has \(payload.count). "
                        + "Try: sign it, or send less in one command."
                )
            }
            let object = try Self.object(payload)
            return try Self.command(Self.identified(object, "id"), known) { () throws(JSONError) in
                try CommandEnvelope(unsigned: JSONReader(object, path: "$"))
            }
        }
        let message: CompactJWS
        do throws(JWSError) {
            message = try CompactJWS(parsing: payload)
        } catch {
            throw Self.malformed("this begins like a signed command: \(error)")
        }
        var refusal = Self.malformed("")
        // The sender is not verified yet, but a refusal should name the command.
        let unverified = message.unverifiedPayload
        if unverified.count <= Self.unsignedLimit, let claims = try? Self.object(unverified) {
            refusal = Self.identified(claims, "jti")
        }
        let verified: CompactJWS.Verified
        do throws(JWSError) {
            verified = try message.verify(with: keys.keys)
        } catch {
            (refusal.reason, refusal.message) = (.badSignature, error.description)
            throw refusal
        }
        guard let signer = keys.signer(verified.key) else { throw refusal }
        let claims = try Self.object(verified.payload)
        refusal = Self.identified(claims, "jti")
        refusal.issuer = signer.issuer
        // A key may also sign other things than commands, such as access tokens (RFC 8725 section 3.11).
        guard verified.header.allows(type: "jwt") else {
            (refusal.reason, refusal.message) = (
                .badSignature, "typ in the header names another kind of message. Try: leave typ out, or set it to JWT."
            )
            throw refusal
        }
        return try Self.command(refusal, known) { () throws(JSONError) in
            try CommandEnvelope(claims: JSONReader(claims, path: "$"), by: signer)
        }
    }

    private static func object(_ bytes: [UInt8]) throws(Refusal) -> [String: JSON] {
        let json: JSON
        do throws(JSONParsingError) {
            json = try JSON(parsing: bytes, depthLimit: Self.depthLimit)
        } catch {
            throw Self.malformed(error.description)
        }
        guard case .object(let object) = json else {
            throw Self.malformed("a command is a JSON object; this is \(json.kind)")
        }
        return object
    }

    private static func malformed(_ message: String) -> Refusal {
        Refusal(reason: .malformed, message: message)
    }

    /// Returns a refusal with the id and the command of an object, as far as both are valid.
    private static func identified(_ object: [String: JSON], _ key: String) -> Refusal {
        var refusal = Self.malformed("")
        if case .string(let id) = object[key], CommandEnvelope.isID(id) { refusal.id = id }
        if case .string(let name) = object["command"] { refusal.command = name.prefix(bytes: 64) }
        return refusal
    }

    private static func command(
        _ refusal: Refusal,
        _ known: KnownNames,
        _ envelope: () throws(JSONError) -> CommandEnvelope
    ) throws(Refusal) -> Command {
        do throws(JSONError) {
            let envelope = try envelope()
            guard let name = CommandName(rawValue: envelope.name) else {
                throw JSONError(
                    reason: .unknownCommand,
                    message: "this agent knows \(CommandName.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            do throws(JSONError) {
                return Command(envelope, try Self.action(name, envelope.arguments, known))
            } catch {
                let reason = error.reason == .malformed ? .badArguments : error.reason
                throw JSONError(reason: reason, message: error.message)
            }
        } catch {
            var refusal = refusal
            (refusal.reason, refusal.message) = (error.reason, error.message)
            throw refusal
        }
    }
}
