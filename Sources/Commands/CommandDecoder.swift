// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import FoundationEssentials
import OBD2

/// Reads the payload of a command.
///
/// Everything unexpected is refused, with the place in the JSON.
package enum CommandDecoder {
    /// The largest payload, in bytes.
    static let limit = 64 * 1024
    /// How deep JSON may be nested.
    static let depthLimit = 16
    /// How many parameters a command may name.
    static let parameterLimit = 256

    /// Reads a command.
    package static func decode(_ payload: [UInt8]) throws(Refusal) -> Command {
        guard payload.count <= Self.limit else {
            throw Self.malformed("a command has at most \(Self.limit) bytes; this has \(payload.count)")
        }
        let shape = Self.shape(of: payload)
        guard shape.depth <= Self.depthLimit else {
            throw Self.malformed("a command is nested at most \(Self.depthLimit) deep")
        }
        // JSON in UTF-16, which Foundation would read too, has NUL bytes; RFC 8259 has UTF-8 only.
        guard !payload.contains(0), let json = try? JSONDecoder().decode(JSON.self, from: Data(payload)) else {
            throw Self.malformed("it is not JSON")
        }
        // A key that comes twice: readers differ about which of them counts.
        guard shape.pairs == json.pairs else { throw Self.malformed("a key comes twice") }
        guard case .object(let object) = json else {
            throw Self.malformed("a command is a JSON object; this is \(json.kind)")
        }
        var refusal = Refusal(reason: .malformed, message: "")
        refusal.id = (object["id"]).flatMap { if case .string(let id) = $0, Self.isID(id) { id } else { nil } }
        refusal.command = (object["command"]).flatMap {
            if case .string(let name) = $0 { String(name.prefix(64)) } else { nil }
        }
        do throws(JSONError) {
            return try Self.command(JSONReader(object, path: "$"))
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

    private static func command(_ reader: JSONReader) throws(JSONError) -> Command {
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
            let action = try Self.action(command, try reader.optionalObject("arguments"))
            return Command(id: id, action: action, issuedAt: issuedAt, expiresAt: expiresAt, vehicle: vehicle)
        } catch {
            throw JSONError(reason: .badArguments, message: error.message)
        }
    }

    private static func action(
        _ command: CommandName,
        _ arguments: JSONReader
    ) throws(JSONError) -> Command.Action {
        switch command {
        case .describe:
            try arguments.allow([])
            return .describe
        case .readCodes:
            try arguments.allow([])
            return .readCodes
        case .clearCodes:
            try arguments.allow(["confirm"])
            return .clearCodes(try Self.confirmation(arguments))
        case .readParameters:
            try arguments.allow(["parameters"])
            let names = try arguments.strings("parameters")
            guard 1...Self.parameterLimit ~= names.count else {
                throw arguments.error("parameters", "1 to \(Self.parameterLimit) names")
            }
            var pids: [PID] = []
            for name in names {
                let pid = try Self.pid(name, arguments)
                if !pids.contains(pid) { pids.append(pid) }
            }
            return .readParameters(pids)
        case .selectParameters:
            try arguments.allow(["parameters", "duration"])
            return .selectParameters(
                try Self.intervals(arguments),
                for: try arguments.optionalSeconds("duration", in: 1...86_400)
            )
        }
    }

    private static func confirmation(_ arguments: JSONReader) throws(JSONError) -> Command.Confirmation {
        if case .string("all") = arguments["confirm"] { return .all }
        guard case .array = arguments["confirm"] else {
            throw arguments.error("confirm", "\"all\", or an array of the codes that are to be cleared")
        }
        var codes: Set<DTC> = []
        for text in try arguments.strings("confirm") {
            guard let code = DTC(text) else {
                throw arguments.error("confirm", "codes such as \"P0301\", not \"\(text.prefix(16))\"")
            }
            codes.insert(code)
        }
        guard !codes.isEmpty else { throw arguments.error("confirm", "at least one code, or \"all\"") }
        return .codes(codes)
    }

    private static func intervals(_ arguments: JSONReader) throws(JSONError) -> [PID: Duration] {
        let wishes = try arguments.object("parameters")
        guard wishes.keys.count <= Self.parameterLimit else {
            throw arguments.error("parameters", "at most \(Self.parameterLimit) parameters")
        }
        var intervals: [PID: Duration] = [:]
        for name in wishes.keys {
            let pid = try Self.pid(name, arguments)
            let interval = try wishes.seconds(name, in: 0.05...86_400)
            if let other = intervals.updateValue(interval, forKey: pid), other != interval {
                throw wishes.error(name, "one interval; two values of one PID are read together")
            }
        }
        return intervals
    }

    private static func pid(_ name: String, _ arguments: JSONReader) throws(JSONError) -> PID {
        guard let parameter = Parameter.named(name) else {
            throw arguments.error("parameters", "names of parameters; \"\(name.prefix(64))\" is none")
        }
        return parameter.pid
    }

    /// How deep brackets are nested, and how many keys have a value, outside of strings.
    ///
    /// Cheap, and without recursion.
    private static func shape(of payload: [UInt8]) -> (depth: Int, pairs: Int) {
        var depth = 0
        var pairs = 0
        var deepest = 0
        var isInString = false
        var isEscaped = false
        for byte in payload {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":"): pairs += 1
            default: break
            }
            deepest = max(deepest, depth)
        }
        return (deepest, pairs)
    }
}

extension JSON {
    /// How many keys have a value in it, at any depth.
    fileprivate var pairs: Int {
        switch self {
        case .null, .bool, .integer, .number, .string: 0
        case .array(let elements): elements.reduce(0) { $0 + $1.pairs }
        case .object(let object): object.values.reduce(object.count) { $0 + $1.pairs }
        }
    }
}
