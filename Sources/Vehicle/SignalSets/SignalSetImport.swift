// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import OBD2

/// A signal set of the OBDb project (`signalsets/v3`), as far as it can be polled by this agent.
///
/// What has a form that is not expected makes the whole set an error; what is understood and can't be had is left out,
/// with the reason.
package struct SignalSetImport: Sendable {
    /// The largest file that is read, in bytes.
    package static let sizeLimit = 4 << 20
    /// The most signals of one set.
    static let signalLimit = 2000
    private static let depthLimit = 12

    /// A signal that was not taken.
    package struct Skipped: Hashable, Sendable {
        /// Its identifier, or that of the request.
        package let name: String
        package let reason: String
    }

    /// In the order of the file.
    package private(set) var taken: [SignalEntry] = []
    package private(set) var skipped: [Skipped] = []
    /// What else there is to know of the set.
    package private(set) var notes: [String] = []
    private var names: Set<String> = []
    private let year: Int?

    /// - Parameter year: the model year of the vehicle; nil takes what is for any.
    package init(_ bytes: [UInt8], year: Int? = nil) throws(SignalSetError) {
        self.year = year
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(limit: Self.sizeLimit) }
        let json: JSON
        do throws(JSONParsingError) {
            json = try JSON(parsing: bytes, depthLimit: Self.depthLimit)
        } catch {
            throw .notJSON(error)
        }
        try self.read(Place(json: json, path: "$"))
    }

    private mutating func read(_ root: Place) throws(SignalSetError) {
        for key in try root.unknownKeys(["commands", "signalGroups", "synthetics", "diagnosticLevel"]) {
            self.notes.append("$.\(key.prefix(bytes: 40)) is not known and was passed over")
        }
        if let level = try root.optional("diagnosticLevel") {
            self.notes.append(
                "the set wants diagnostic session \(try level.digits(2...2)), which this agent does not open: "
                    + "some of it may not be answered"
            )
        }
        for command in try root.required("commands").elements { try self.readCommand(command) }
        for synthetic in try root.optional("synthetics")?.elements ?? [] {
            self.skip(try synthetic.required("id").text, "is computed of other signals")
        }
    }

    private mutating func skip(_ name: String, _ reason: String) {
        self.skipped.append(Skipped(name: name.prefix(bytes: 64), reason: reason))
    }

    /// A file for the configuration's `[parameters] sets`.
    ///
    /// - Parameters:
    ///   - source: where the signals come from.
    ///   - isSelected: whether all of them are read, or `[parameters]` selects.
    package func toml(source: String, isSelected: Bool) -> String {
        let head = """
            # Custom parameters for obd-agent, made from \(Printable.text(source))
            # by obd-agent parameters import. Name this file in [parameters] sets of the configuration.

            """
        return ([head] + self.taken.map { $0.toml(isSelected: isSelected) }).joined(separator: "\n")
    }

    // MARK: - Requests

    private static let commandKeys: Set<String> = [
        "hdr", "rax", "eax", "pri", "tst", "tmo", "fcm1", "dbg", "din", "dout", "cmd", "freq", "proto", "filter",
        "dbgfilter", "signals",
    ]

    private mutating func readCommand(_ place: Place) throws(SignalSetError) {
        let command = try SignalCommand(place)
        let signals = try place.required("signals").elements
        var reason: String?
        if let unknown = try place.unknownKeys(Self.commandKeys).first {
            reason = "\"\(unknown.prefix(bytes: 40))\" of its request is not known"
        } else if let session = command.session {
            reason = "needs diagnostic session \(session), which is not opened"
        } else if let year = self.year, !command.isFor(year: year) {
            reason = "is not for model year \(year)"
        } else if let refusal = command.refusal {
            reason = refusal
        }
        for signal in signals {
            guard self.taken.count + self.skipped.count < Self.signalLimit else {
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

    private mutating func readSignal(_ place: Place, _ id: String, _ command: SignalCommand) throws(SignalSetError) {
        let format = try SignalFormat(try place.required("fmt"))
        let name = Self.name(id)
        if let unknown = try place.unknownKeys(Self.signalKeys).first {
            self.skip(id, "\"\(unknown.prefix(bytes: 40))\" is not known")
        } else if let reason = format.refusal {
            self.skip(id, reason)
        } else if name.first?.isLetter != true || name.utf8.count > 64 || name == "sets" {
            self.skip(id, "the identifier makes no name of 1 to 64 of a-z, 0-9 and _, a letter first")
        } else if Parameter.named(name) != nil || SupplyValue(rawValue: name) != nil {
            self.skip(id, "the catalogue has a parameter of this name")
        } else if !self.names.insert(name).inserted {
            self.skip(id, command.isForSomeYears ? "comes twice; choose one by the model year" : "comes twice")
        } else {
            let title = try place.optional("name")?.text
            self.taken.append(SignalEntry(name: name, title: title, command: command, format: format))
        }
    }

    /// The identifier in small letters, other characters than letters and digits as underscores.
    private static func name(_ id: String) -> String {
        String(
            id.lowercased().map { character in
                character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
            }
        )
    }
}
