// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Archive
import Configuration
import EventLoop
package import SignalSets

/// The signal sets in local folders and archives: copies of the OBDb project's repositories, or of their sets.
package struct LocalCatalog: Sendable {
    /// A folder or an archive, with the number of its sets.
    package struct Source: Hashable, Sendable {
        package let path: String
        /// The number of sets of models and makes; nil if it could not be read.
        package let count: Int?
        /// The names of files that would be sets, and are pipes, devices or links to nothing.
        package var skipped: [String] = []
        /// The reason why it could not be read; nil if it was.
        package var problem: String?
    }

    /// The names of sets in a folder or an archive, and of the files that cannot be read.
    private struct Listing {
        var sets: [(name: String, place: SignalCatalog.Place)] = []
        var skipped: [String] = []
    }

    package let catalog: SignalCatalog
    package let sources: [Source]

    /// Looks for the names of sets at each path.
    ///
    /// A path is a folder with repositories, as in `Kia-EV9/signalsets/v3/default.json`, one such repository, a folder
    /// with files `Kia-EV9.json`, or a tar archive of any of them, which may be compressed with gzip.
    package init(paths: [String]) {
        var found: [(name: String, place: SignalCatalog.Place)] = []
        var sources: [Source] = []
        for path in paths {
            let listing = TextFile.isDirectory(path) ? Self.sets(inFolder: path) : Self.sets(inArchive: path)
            let sets = listing?.sets.filter { SignalCatalog.isOfVehicle($0.name) }
            var source = Source(path: path, count: sets?.count, skipped: listing?.skipped ?? [])
            if listing == nil {
                source.problem =
                    TextFile.problem(reading: path) ?? "it is no tar archive, or a damaged one, or its end is missing"
            }
            sources.append(source)
            found += sets ?? []
        }
        self.catalog = SignalCatalog(found)
        self.sources = sources
    }

    /// Returns the bytes of a set; nil if it cannot be read.
    package func bytes(of entry: SignalCatalog.Entry) -> [UInt8]? {
        self.read([entry]) { $0 }[entry]
    }

    /// Returns the reason why a set cannot be read, or is no signal set; nil if it is one.
    package func problem(with entry: SignalCatalog.Entry) -> String? {
        do {
            let bytes =
                switch entry.place {
                case .file(let path): try Self.bytes(of: path)
                case .member: self.bytes(of: entry)
                }
            guard let bytes else { return "it is not in the archive, or the archive is damaged" }
            _ = try SignalSetImport(bytes)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns what `transform` makes of the bytes of each set; a set that cannot be read is left out.
    ///
    /// Each archive is read once, and the bytes of one set are held at a time.
    package func read<Value>(
        _ entries: some Sequence<SignalCatalog.Entry>,
        _ transform: ([UInt8]) -> Value?
    ) -> [SignalCatalog.Entry: Value] {
        var values: [SignalCatalog.Entry: Value] = [:]
        var members: [String: [String: SignalCatalog.Entry]] = [:]
        for entry in entries {
            switch entry.place {
            case .file(let path): values[entry] = (try? Self.bytes(of: path)).flatMap(transform)
            case .member(let name, let archive): members[archive, default: [:]][name] = entry
            }
        }
        for (archive, entries) in members {
            ArchiveReader.read(Set(entries.keys), in: archive, limit: SignalSetImport.sizeLimit) { name, bytes in
                if let entry = entries[name] { values[entry] = transform(bytes) }
            }
        }
        return values
    }

    /// Returns the bytes of a file; of a file over the limit of a set, just enough bytes to exceed it.
    private static func bytes(of path: String) throws(ConfigurationError) -> [UInt8] {
        try SourceFile.contents(of: path, limit: SignalSetImport.sizeLimit)
    }

    private static func sets(inFolder path: String) -> Listing? {
        guard let names = TextFile.names(in: path) else { return nil }
        let checkout = "\(path)/\(SignalCatalog.pathInRepository)"
        if TextFile.isRegular(checkout), let folder = path.split(separator: "/").last {
            return Listing(sets: [(SignalCatalog.name(ofRepository: String(folder)), .file(checkout))])
        }
        var listing = Listing()
        for name in names {
            if let set = SignalCatalog.name(ofFile: name) {
                let file = "\(path)/\(name)"
                if TextFile.isRegular(file) {
                    listing.sets.append((set, .file(file)))
                } else {
                    listing.skipped.append(name)
                }
            } else {
                let file = "\(path)/\(name)/\(SignalCatalog.pathInRepository)"
                if TextFile.isRegular(file) {
                    listing.sets.append((SignalCatalog.name(ofRepository: name), .file(file)))
                }
            }
        }
        return listing
    }

    private static func sets(inArchive path: String) -> Listing? {
        guard TextFile.isRegular(path) else { return nil }
        return ArchiveReader.names(in: path).map { Listing(sets: SignalCatalog.sets(inArchive: path, $0)) }
    }
}
