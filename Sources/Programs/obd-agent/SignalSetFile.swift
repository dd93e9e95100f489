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
            self.bytes = try Configuration.contents(of: path, limit: SignalSetImport.sizeLimit)
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
        for entry in entries {
            guard let bytes = local.bytes(of: entry), let counts = SignalCatalog.counts(of: bytes) else {
                throw CommandFailure(.noInput, "the signal set \(entry.place) can't be read")
            }
            guard counts.commands == 0 else {
                (self.bytes, self.source, self.remark) = (bytes, "\(entry.title), \(entry.place)", nil)
                self.repository = entry.name
                return
            }
        }
        let title = entries.first?.title ?? text
        for entry in entries.first.map(local.catalog.makeSets(of:)) ?? [] where !entries.contains(entry) {
            guard let bytes = local.bytes(of: entry), SignalCatalog.counts(of: bytes)?.commands ?? 0 > 0 else {
                continue
            }
            self.bytes = bytes
            self.source = "\(entry.title) for \(title), \(entry.place)"
            self.repository = entry.name
            self.remark = "\(title) has no signals of its own, so this is the set of its make, \(entry.title)."
            return
        }
        throw CommandFailure(
            .noInput,
            "\(title) has no signals, and the catalog has none for its make",
            next: "a newer catalog, or another model of the make: obd-agent parameters models."
        )
    }

    private static func entries(_ text: String, in catalog: SignalCatalog) throws -> [SignalCatalog.Entry] {
        func titles(_ entries: [SignalCatalog.Entry]) -> String {
            entries.map { "\"\($0.title)\"" }.joined(separator: ", ")
        }
        switch catalog.find(text) {
        case .found(let entries):
            return entries
        case .ambiguous(let entries):
            throw CommandFailure(.noInput, "several makes have a model \"\(text)\"", next: titles(entries) + ".")
        case .unknown(let similar):
            throw CommandFailure(
                .noInput,
                "the catalog has no model \"\(text)\"",
                next: similar.isEmpty ? "obd-agent parameters models, which lists all." : titles(similar) + "."
            )
        }
    }
}
