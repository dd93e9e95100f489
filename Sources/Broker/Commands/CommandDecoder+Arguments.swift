// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

// The arguments of each command.
extension CommandDecoder {
    /// Reads the arguments of a command.
    static func action(
        _ command: CommandName,
        _ arguments: JSONReader,
        _ known: KnownNames
    ) throws(JSONError) -> Command.Action {
        switch command {
        case .describe:
            try arguments.allow([])
            return .describe
        case .readCodes:
            try arguments.allow([])
            return .readCodes
        case .readMonitors:
            try arguments.allow([])
            return .readMonitors
        case .readVehicle:
            try arguments.allow([])
            return .readVehicle
        case .runTest:
            try arguments.allow(["test", "data"])
            return .runTest(try Self.control(arguments))
        case .clearCodes:
            try arguments.allow(["confirm", "override_engine", "accept_incomplete", "wake"])
            return .clearCodes(
                try Self.confirmation(arguments),
                overridesEngine: try arguments.optionalFlag("override_engine") ?? false,
                acceptsIncomplete: try arguments.optionalFlag("accept_incomplete") ?? false,
                wakes: try arguments.optionalFlag("wake") ?? false
            )
        case .readParameters:
            try arguments.allow(["parameters"])
            return .readParameters(try Self.readKeys(arguments, known))
        case .boost:
            try arguments.allow(["parameters", "duration"])
            return .boost(
                try Self.keys(arguments, known),
                for: try arguments.seconds("duration", in: CommandLimits.boostDurations)
            )
        case .selectParameters:
            return .selectParameters(try Self.selection(arguments, known))
        case .recordFinding:
            try arguments.allow(["text", "codes", "severity"])
            return .recordFinding(
                try Self.findingText(arguments),
                try Self.severity(arguments),
                codes: try Self.codes("codes", arguments, atMost: CommandLimits.findingCodes)
            )
        case .rawRequest:
            return .rawRequest(try Command.RawOrder(arguments))
        case .detectParameters:
            try arguments.allow(["make", "year"])
            return .detectParameters(make: try Self.make(arguments), year: try Self.year(arguments))
        case .capture:
            return .capture(try Self.capture(arguments, known))
        case .resend:
            return .resend(try ResendArguments(arguments))
        case .wake:
            try arguments.allow(["duration"])
            return .wake(for: try arguments.seconds("duration", in: CommandLimits.wakeDurations))
        }
    }

    /// Reads the name of a make, which has no control characters that could affect a terminal.
    private static func make(_ arguments: JSONReader) throws(JSONError) -> String? {
        guard let make = try arguments.optionalString("make") else { return nil }
        guard 1...64 ~= make.unicodeScalars.count,
            make.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw arguments.error("make", "1 to 64 characters without control characters") }
        return make
    }

    private static func year(_ arguments: JSONReader) throws(JSONError) -> Int? {
        guard let value = arguments["year"] else { return nil }
        guard case .integer(let number) = value, let year = Int(exactly: number), ModelYear.range ~= year else {
            throw arguments.error("year", ModelYear.expectation)
        }
        return year
    }

    /// Reads the text of a finding, which has no control characters that could affect a terminal.
    private static func findingText(_ arguments: JSONReader) throws(JSONError) -> String {
        let text = try arguments.string("text")
        guard 1...CommandLimits.findingText ~= text.unicodeScalars.count else {
            throw arguments.error("text", "1 to \(CommandLimits.findingText) characters")
        }
        guard text.unicodeScalars.allSatisfy({ $0 == "\n" || $0.properties.generalCategory != .control }) else {
            throw arguments.error("text", "no control characters but line feeds")
        }
        return text
    }

    private static func severity(_ arguments: JSONReader) throws(JSONError) -> Finding.Severity {
        guard let name = try arguments.optionalString("severity") else { return .info }
        guard let severity = Finding.Severity(rawValue: name) else {
            let names = Finding.Severity.allCases.map { "\"\($0.rawValue)\"" }
            throw arguments.error("severity", "one of \(names.joined(separator: ", "))")
        }
        return severity
    }

    /// Reads the codes under a key in their order and without duplicates; none without that key.
    private static func codes(
        _ key: String,
        _ arguments: JSONReader,
        atMost limit: Int
    ) throws(JSONError) -> [TroubleCode] {
        guard arguments[key] != nil else { return [] }
        let texts = try arguments.strings(key)
        guard texts.count <= limit else { throw arguments.error(key, "at most \(limit) codes") }
        var codes: [TroubleCode] = []
        for (index, text) in texts.enumerated() {
            guard let code = TroubleCode(text) else {
                throw arguments.error(key, element: index, "a code such as \"P0301\"")
            }
            if !codes.contains(code) { codes.append(code) }
        }
        return codes
    }

    /// Reads `test`, two hexadecimal digits, and `data`, up to five bytes as hexadecimal digits.
    private static func control(_ arguments: JSONReader) throws(JSONError) -> ControlRequest {
        guard let test = Self.bytes(try arguments.string("test")), test.count == 1, !PID(rawValue: test[0]).isBitmap
        else { throw arguments.error("test", "the two hexadecimal digits of a test, such as \"01\"") }
        let text = try arguments.optionalString("data") ?? ""
        guard let data = Self.bytes(text), let control = ControlRequest(test: test[0], data: data) else {
            throw arguments.error("data", "up to \(ControlRequest.dataLength) bytes as hexadecimal digits")
        }
        return control
    }

    /// Returns at most 32 bytes that hexadecimal digits stand for; nil if the text has anything else.
    static func bytes(_ text: String) -> [UInt8]? { text.utf8.count <= 64 ? [UInt8](hexadecimal: text) : nil }

    private static func confirmation(_ arguments: JSONReader) throws(JSONError) -> Command.Confirmation {
        if case .string("all") = arguments["confirm"] { return .all }
        guard case .array = arguments["confirm"] else {
            throw arguments.error("confirm", "\"all\", or an array of the codes that are to be cleared")
        }
        let codes = Set(try Self.codes("confirm", arguments, atMost: .max))
        guard !codes.isEmpty else { throw arguments.error("confirm", "at least one code, or \"all\"") }
        return .codes(codes)
    }

    /// Reads the names of parameters that ECUs report.
    private static func readKeys(_ arguments: JSONReader, _ known: KnownNames) throws(JSONError) -> [ParameterKey] {
        let keys = try Self.keys(arguments, known)
        for case .derived(let name) in keys {
            throw arguments.problem("parameters", "the agent computes \(name), no ECU reports it. Try: select \(name)")
        }
        return keys
    }

    private static func keys(_ arguments: JSONReader, _ known: KnownNames) throws(JSONError) -> [ParameterKey] {
        let names = try arguments.strings("parameters")
        guard 1...CommandLimits.parameters ~= names.count else {
            throw arguments.error("parameters", "1 to \(CommandLimits.parameters) names")
        }
        return try Self.keys(named: names, arguments, known)
    }

    /// Returns the parameters of these names, each once.
    static func keys(
        named names: [String],
        _ arguments: JSONReader,
        _ known: KnownNames
    ) throws(JSONError) -> [ParameterKey] {
        var keys: [ParameterKey] = []
        for name in names {
            let key = try known.key(name, at: "parameters", arguments)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }
}
