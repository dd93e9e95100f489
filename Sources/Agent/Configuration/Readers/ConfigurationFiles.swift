// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// The main configuration file, the files that are read after it, and the table that they make together.
struct ConfigurationFiles: Sendable {
    /// All files, the main one first.
    let documents: [(file: String, document: Document)]
    /// The keys of all files.
    ///
    /// A key of a later file replaces the whole value of the same key in an earlier one.
    let root: Table

    /// Parses all files.
    ///
    /// - Parameter overlays: the files that are read after the main file, in this order.
    /// - Throws: the first syntax error.
    init(main: SourceFile, overlays: [SourceFile]) throws(ConfigurationError) {
        var documents: [(file: String, document: Document)] = []
        for source in [main] + overlays {
            do {
                documents.append((source.name, try Document(source.bytes)))
            } catch {
                throw ConfigurationError(error, file: source.name)
            }
        }
        self.documents = documents
        // Depth 1 merges the tables and their keys; a value, also if it is a table, is replaced as a whole.
        self.root = documents.dropFirst().reduce(documents[0].document.root) {
            $0.overlaid(by: $1.document.root, depth: 1)
        }
    }

    /// The name of the main file.
    var mainFile: String { self.documents[0].file }

    /// Returns the value at `path`, a list of names from the root.
    func value(at path: [String]) -> TOMLValue? {
        var value = TOMLValue.table(self.root)
        for name in path {
            guard let entry = value.table?[name] else { return nil }
            value = entry.value
        }
        return value
    }

    /// Returns the file whose value at `path` applies, and the line of its first mention there.
    ///
    /// If no file has all of `path`, the place is that of the longest part of it that a file has. If no file has any
    /// part, the place is the last line of the main file.
    ///
    /// - Parameter path: names of tables and keys, and indices of list elements.
    func place(of path: [String]) -> (file: String, line: Int) {
        var best: (depth: Int, file: String, line: Int)?
        for (file, document) in self.documents {
            let (depth, line) = Self.search(path, in: document)
            // Of the files with the whole path the last one applies; of files with a part of it, the first.
            if depth > best?.depth ?? 0 || depth == path.count && depth > 0 { best = (depth, file, line) }
        }
        return best.map { ($0.file, $0.line) } ?? (self.mainFile, self.documents[0].document.lineCount)
    }

    /// Returns the places where files other than the main one set `path`.
    func placesInOverlays(of path: [String]) -> [(file: String, line: Int)] {
        self.documents.dropFirst().compactMap { file, document in
            let (depth, line) = Self.search(path, in: document)
            return depth == path.count ? (file, line) : nil
        }
    }

    /// Returns how many names of `path` the document has, and the line of the last of them.
    private static func search(_ path: [String], in document: Document) -> (depth: Int, line: Int) {
        var (depth, line) = (0, document.lineCount)
        var value = TOMLValue.table(document.root)
        for name in path {
            if let entry = value.table?[name] {
                (line, value) = (entry.position.line, entry.value)
            } else if case .array(let nodes) = value, let index = Int(name), nodes.indices.contains(index) {
                (line, value) = (nodes[index].position.line, nodes[index].value)
            } else {
                break
            }
            depth += 1
        }
        return (depth, line)
    }
}
