// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The signals of an OBDb signal set (`signalsets/v3`) that this agent can poll.
///
/// A value of an unexpected form makes the whole set an error. A valid signal that the agent cannot poll is skipped,
/// with the reason.
package struct SignalSetImport: Sendable {
    /// The largest file that is read, in bytes.
    package static let sizeLimit = 4 << 20
    /// The largest number of signals in one set.
    static let signalLimit = 2000
    private static let depthLimit = 12

    /// A signal that was not imported.
    package struct Skipped: Hashable, Sendable {
        /// The signal's identifier in the set.
        package let name: String
        package let reason: String
    }

    /// The imported signals, in the order of the file.
    package private(set) var imported: [SignalEntry] = []
    package private(set) var skipped: [Skipped] = []
    /// Remarks about the set as a whole, each a phrase for people.
    package private(set) var notes: [String] = []
    private var names: Set<String> = []
    private let year: Int?

    /// Reads a set.
    ///
    /// - Parameter year: the model year of the vehicle; nil imports the signals of all years.
    package init(_ bytes: [UInt8], year: Int? = nil) throws(SignalSetError) {
        self.year = year
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        let json: JSON
        do throws(JSONParsingError) {
            json = try JSON(parsing: bytes, depthLimit: Self.depthLimit)
        } catch {
            throw .notJSON(error)
        }
        try self.read(JSONNode(json: json, path: "$"))
    }

    private mutating func read(_ root: JSONNode) throws(SignalSetError) {
        for key in try root.unknownKeys(["commands", "signalGroups", "synthetics", "diagnosticLevel"]) {
            self.notes.append("the unknown member $.\(key.prefix(bytes: 40)) was ignored")
        }
        if let level = try root.optional("diagnosticLevel") {
            self.notes.append(
                "the set needs diagnostic session \(try level.digits(2...2)), which this agent never opens: "
                    + "ECUs may not answer some signals"
            )
        }
        for command in try root.required("commands").elements { try self.readCommand(command) }
        for synthetic in try root.optional("synthetics")?.elements ?? [] {
            self.skip(try synthetic.required("id").text, "its value is computed from other signals")
        }
    }

    private mutating func skip(_ name: String, _ reason: String) {
        self.skipped.append(Skipped(name: name.prefix(bytes: 64), reason: reason))
    }

    /// Returns a file for the configuration's `[parameters] sets`.
    ///
    /// - Parameters:
    ///   - source: the origin of the signals, for the comment at the top.
    ///   - isSelected: whether each signal gets a poll interval, and so is selected; else `[parameters]` selects.
    package func toml(source: String, isSelected: Bool) -> String {
        let head = """
            # Custom parameters for obd-agent, made from \(Printable.text(source))
            # by obd-agent parameters import. Name this file in [parameters] sets of the configuration.

            """
        return ([head] + self.imported.map { $0.toml(isSelected: isSelected) }).joined(separator: "\n")
    }

    // MARK: - Requests

    private static let commandKeys: Set<String> = [
        "hdr", "rax", "eax", "pri", "tst", "tmo", "fcm1", "dbg", "din", "dout", "cmd", "freq", "proto", "filter",
        "dbgfilter", "signals",
    ]

    private mutating func readCommand(_ node: JSONNode) throws(SignalSetError) {
        let command = try SignalCommand(node)
        let signals = try node.required("signals").elements
        var reason: String?
        if let unknown = try node.unknownKeys(Self.commandKeys).first {
            reason = "its request has the unknown key \"\(unknown.prefix(bytes: 40))\""
        } else if let session = command.session {
            reason = "its request needs diagnostic session \(session), which this agent never opens"
        } else if let year = self.year, !command.applies(toYear: year) {
            reason = "it is not for model year \(year)"
        } else if let refusal = command.refusal {
            reason = refusal
        }
        for signal in signals {
            guard self.imported.count + self.skipped.count < Self.signalLimit else {
                throw .tooMany(limit: Self.signalLimit)
            }
            let id = try signal.required("id").text
            if let reason {
                self.skip(id, reason)
            } else {
                try self.readSignal(signal, id, command)
            }
        }
    }

    // MARK: - Signals

    private static let signalKeys: Set<String> = [
        "id", "name", "hidden", "description", "fmt", "path", "suggestedMetric",
    ]

    private mutating func readSignal(_ node: JSONNode, _ id: String, _ command: SignalCommand) throws(SignalSetError) {
        let format = try SignalFormat(try node.required("fmt"))
        let name = Self.name(id)
        if let unknown = try node.unknownKeys(Self.signalKeys).first {
            self.skip(id, "it has the unknown key \"\(unknown.prefix(bytes: 40))\"")
        } else if let reason = format.refusal {
            self.skip(id, reason)
        } else if name.first?.isLetter != true || name.utf8.count > 64 || name == "sets" {
            self.skip(id, "its name \"\(name.prefix(bytes: 64))\" is not 1 to 64 of a-z, 0-9 and _, a letter first")
        } else if Parameter.named(name) != nil || SupplyValue(rawValue: name) != nil {
            self.skip(id, "the catalogue has a parameter with the name \(name)")
        } else if !self.names.insert(name).inserted {
            let advice = command.hasYearFilter ? ". Try: name the model year with --year" : ""
            self.skip(id, "an earlier signal has the same name" + advice)
        } else {
            let title = try node.optional("name")?.text
            let role = try self.role(try node.optional("suggestedMetric")?.text, of: name, format)
            self.imported.append(SignalEntry(name: name, title: title, command: command, format: format, role: role))
        }
    }

    /// Returns the role of a signal; nil if its metric has none, or if its values do not fit the role.
    private mutating func role(
        _ metric: String?,
        of name: String,
        _ format: SignalFormat
    ) throws(SignalSetError) -> SignalRole? {
        guard let metric, let role = SignalRole.roles[metric] else { return nil }
        if let fitting = SignalRole(role, format) { return fitting }
        let expected = role.isTruth ? "labels that tell yes from no" : role.units.joined(separator: " or ")
        self.notes.append("\(name) got no role: \(role.rawValue) needs \(expected)")
        return nil
    }

    /// Returns the identifier in lower case, with underscores for all characters other than ASCII letters and digits.
    private static func name(_ id: String) -> String {
        String(
            id.lowercased().map { character in
                character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            }
        )
    }
}
