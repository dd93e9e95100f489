// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOMLKit

/// Where and why a text is not TOML.
struct TOMLSyntaxError: Error, Equatable, Sendable {
    let line: Int
    let column: Int
    let reason: String
}

extension Node {
    /// Reads a TOML 1.0 document whose nesting and NUL characters have been checked, see ``Document``.
    ///
    /// The parser's own iterators and conversions force what they unwrap and never free the tree, so only its plain
    /// look-ups are used here, once.
    init(toml text: String) throws(TOMLSyntaxError) {
        do {
            self = try .table(Self.nodes(of: TOMLTable(string: text)))
        } catch let error as TOMLParseError {
            let position = error.source.begin
            let reason = error.description.split(separator: ": ", maxSplits: 1).last.map(String.init)
            throw TOMLSyntaxError(line: position.line, column: position.column, reason: reason ?? "")
        } catch {
            throw TOMLSyntaxError(line: 1, column: 1, reason: "\(error)")
        }
    }

    private init(_ value: some TOMLValueConvertible) {
        switch value.type {
        case .table: self = .table(value.table.map(Self.nodes) ?? [:])
        case .array: self = .array(value.array.map { $0.map { Node($0) } } ?? [])
        case .string: self = .text(value.string ?? "")
        case .int: self = .integer(value.int ?? 0)
        case .double: self = .number(value.double ?? .nan)
        case .bool: self = .flag(value.bool ?? false)
        case .date, .time, .dateTime: self = .moment
        }
    }

    private static func nodes(of table: TOMLTable) -> [String: Node] {
        var nodes: [String: Node] = [:]
        for key in table.keys {
            nodes[key] = table[key].map { Node($0) }
        }
        return nodes
    }
}
