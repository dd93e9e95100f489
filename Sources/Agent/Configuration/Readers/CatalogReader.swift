// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Reads the key `catalog` of `[parameters]`: a path, or a list of paths.
enum CatalogReader {
    static let key = "catalog"
    private static let path = [Section.parameters.rawValue, Self.key]

    /// Returns whether `sets` is "detect", for which the file has to name the catalog.
    static func detectsSets(_ cursor: inout ConfigurationCursor) -> Bool {
        guard cursor.value(at: CustomSetReader.path) == .text(CustomSetReader.detection) else { return false }
        switch cursor.value(at: Self.path) {
        case nil, .text(""), .array([]):
            cursor.report(
                CustomSetReader.path,
                "\"\(CustomSetReader.detection)\" needs the signal sets of models. "
                    + "Try: catalog = \"\(Configuration.defaultCatalog[0])\" in the same table"
            )
        case .some: break
        }
        return true
    }

    static func read(_ cursor: inout ConfigurationCursor) -> [String] {
        switch cursor.value(at: Self.path) {
        case nil, .text(""):
            return Configuration.defaultCatalog
        case .text(let path) where path.hasPrefix("/"):
            return [path]
        case .array(let elements):
            return elements.enumerated().compactMap { index, element in
                if case .text(let path) = element.value, path.hasPrefix("/") { return path }
                cursor.report(Self.path, "expected absolute paths in quotes, found \(element.value)", element: index)
                return nil
            }
        case .some(let value):
            cursor.report(Self.path, "expected an absolute path in quotes, or a list of them, found \(value)")
            return []
        }
    }
}
