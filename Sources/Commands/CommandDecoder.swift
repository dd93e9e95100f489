// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

/// Reads the payload of a command.
///
/// Everything unexpected is refused, with the place in the JSON.
package enum CommandDecoder {
    /// The largest payload, in bytes.
    static let limit = 64 * 1024
    /// How deep JSON may be nested.
    static let depthLimit = 16

    /// Reads a command.
    ///
    /// - Parameter custom: the names of the custom parameters.
    package static func decode(_ payload: [UInt8], custom: Set<String> = []) throws(Refusal) -> Command {
        guard payload.count <= Self.limit else {
            throw Self.malformed("a command has at most \(Self.limit) bytes; this has \(payload.count)")
        }
        let json: JSON
        do throws(JSONParsingError) {
            json = try JSON(parsing: payload, depthLimit: Self.depthLimit)
        } catch {
            throw Self.malformed(error.description)
        }
        guard case .object(let object) = json else {
            throw Self.malformed("a command is a JSON object; this is \(json.kind)")
        }
        var refusal = Refusal(reason: .malformed, message: "")
        refusal.id = (object["id"]).flatMap { if case .string(let id) = $0, Self.isID(id) { id } else { nil } }
        refusal.command = (object["command"]).flatMap {
            if case .string(let name) = $0 { String(name.prefix(64)) } else { nil }
        }
        do throws(JSONError) {
            return try Self.command(JSONReader(object, path: "$"), custom)
        } catch {
            refusal.reason = error.reason
            refusal.message = error.message
            throw refusal
        }
    }

    private static func malformed(_ message: String) -> Refusal {
        Refusal(reason: .malformed, message: message)
    }

    /// 1 to 64 of `A-Za-z0-9._:-`.
    private static func isID(_ text: String) -> Bool {
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

    private static func command(_ reader: JSONReader, _ custom: Set<String>) throws(JSONError) -> Command {
        try reader.allow(["id", "command", "arguments", "issued_at", "expires_at", "vehicle"])
        let id = try reader.string("id")
        guard Self.isID(id) else { throw reader.error("id", "1 to 64 of the characters A-Z a-z 0-9 . _ : -") }
        let name = try reader.string("command")
        guard let command = CommandName(rawValue: name) else {
            throw JSONError(
                reason: .unknownCommand,
                message: "this agent knows \(CommandName.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        let issuedAt = try reader.time("issued_at")
        let expiresAt = try reader.time("expires_at")
        guard issuedAt < expiresAt else { throw reader.error("expires_at", "a time after issued_at") }
        let vehicle = try reader.optionalString("vehicle")
        do throws(JSONError) {
            let action = try Self.action(command, try reader.optionalObject("arguments"), custom)
            return Command(id: id, action: action, issuedAt: issuedAt, expiresAt: expiresAt, vehicle: vehicle)
        } catch {
            throw JSONError(reason: error.reason == .malformed ? .badArguments : error.reason, message: error.message)
        }
    }
}
