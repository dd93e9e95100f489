// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Reads the key `catalog` of `[parameters]`: a path, or a list of paths.
enum CatalogReader {
    static let key = "catalog"
    private static let path = [Section.parameters.rawValue, Self.key]

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
