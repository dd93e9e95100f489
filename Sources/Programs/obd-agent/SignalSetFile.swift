// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration
import SignalSets

/// The signal set to import: a file, or the set of a model in a catalog.
struct SignalSetFile {
    let bytes: [UInt8]
    /// The origin of the set, for messages and for the head of the imported file.
    let source: String
    /// The name of the set's repository in the OBDb project; nil if it is unknown.
    let repository: String?
    /// The reason for a set other than the model's; nil for the model's own set.
    let remark: String?

    /// Reads a file.
    init(path: String) throws {
        do {
            self.bytes = try SourceFile.contents(of: path, limit: SignalSetImport.sizeLimit)
        } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
        (self.source, self.remark) = (path, nil)
        // A checkout has its sets in NAME/signalsets/v3.
        let folders = path.split(separator: "/").dropLast()
        self.repository = folders.suffix(2) == ["signalsets", "v3"] ? folders.dropLast(2).last.map { String($0) } : nil
    }

    /// Finds the set of the model that `text` names; the set of its make, if it has no requests of its own.
    init(model text: String, in local: LocalCatalog) throws {
        let entries = try Self.entries(text, in: local.catalog)
        let sets = local.readFilled(entries) { $0 }
        let entry = entries.first { sets[$0]?.source == $0 } ?? entries.first { sets[$0] != nil }
        guard let entry, let (source, bytes) = sets[entry] else {
            for entry in entries {
                guard let problem = local.problem(with: entry) else { continue }
                throw CommandFailure(.noInput, "the signal set \(entry.place) can't be read: \(problem)")
            }
            throw CommandFailure(
                .noInput,
                "\(entries.first?.title ?? text) has no signals, and the catalog has none for its make",
                next: "a newer catalog, or another model of the make: obd-agent parameters models."
            )
        }
        (self.bytes, self.repository) = (bytes, source.name)
        guard source != entry else {
            (self.source, self.remark) = ("\(entry.title), \(entry.place)", nil)
            return
        }
        self.source = "\(source.title) for \(entry.title), \(source.place)"
        self.remark = "\(entry.title) has no signals of its own, so this is the set of its make, \(source.title)."
    }

    /// Whether the file is a DBC file, whose signals are in frames that nobody has to ask for.
    var isDBC: Bool { DBCImport.isDBC(self.bytes) }

    /// Returns the signals of the DBC file.
    func frames(_ wanted: [String]) throws -> DBCImport {
        do {
            return try DBCImport(self.bytes, frames: wanted)
        } catch SignalSetError.tooMany(let limit) {
            throw CommandFailure(
                .noInput,
                "\(self.source): the file has more than \(limit) signals",
                next: "--frame with the name or the identifier of each frame that you want."
            )
        } catch {
            throw CommandFailure(.noInput, "\(self.source): \(error)")
        }
    }

    /// Returns the signals of the set.
    func set(year: Int?) throws -> SignalSetImport {
        do {
            return try SignalSetImport(self.bytes, year: year)
        } catch {
            throw CommandFailure(.noInput, "\(self.source): \(error)")
        }
    }

    /// Returns the failure of an import without a signal.
    func failure(year: Int?) -> CommandFailure {
        let years = (try? SignalSetImport(self.bytes)).map(SignalYears.init) ?? SignalYears()
        guard let year, !years.isEmpty else {
            return CommandFailure(
                .noInput,
                "\(self.source): no signal in it can be polled",
                next: "another set; the lines above have the reason for each signal."
            )
        }
        return CommandFailure(
            .noInput,
            "\(self.source): no signal in it is for model year \(year)",
            next: "--year with one of these: \(years)."
        )
    }

    private static func entries(_ text: String, in catalog: SignalCatalog) throws -> [SignalCatalog.Entry] {
        switch catalog.find(text) {
        case .found(let entries):
            return entries
        case .ambiguous(let entries):
            throw CommandFailure(.noInput, "several makes have a model \"\(text)\"", next: Self.titles(entries) + ".")
        case .unknown(let similar):
            throw CommandFailure(
                .noInput,
                "the catalog has no model \"\(text)\"",
                next: (similar.isEmpty ? "obd-agent parameters models, which lists all." : Self.titles(similar) + ".")
                    + " \(Self.missingSet)"
            )
        }
    }

    /// The next step of a user whose model the catalog does not have.
    static let missingSet = "If github.com/OBDb has a repository of the model, put it into the catalog."

    /// Returns the titles of sets in quotes.
    static func titles(_ entries: [SignalCatalog.Entry]) -> String {
        entries.map { "\"\($0.title)\"" }.joined(separator: ", ")
    }
}
