// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A name in a dotted key or in a header.
struct KeyPart: Sendable {
    let name: String
    let position: Position
}

/// The tables of a text while it is parsed, with the rules for what may be added to each.
///
/// Tables refer to each other by index, so the current one is found without a walk from the root.
struct Tree: Sendable {
    /// The syntax that created a table.
    private enum Origin: Equatable {
        /// The name of another table contains it: `a` in `[a.b]`.
        case mention
        case header
        /// Dotted keys below one header created the table.
        ///
        /// More dotted keys may follow, but no header of its own. Dotted keys below another header cannot reach it,
        /// because they would have to pass the first header's table.
        case dottedKey
    }

    private enum Slot {
        case node(TOMLNode)
        case table(Int)
        /// The index in ``lists`` of a list created by `[[…]]`.
        case list(Int)
    }

    private struct Branch {
        var origin: Origin
        /// The position of the definition, or of the first mention.
        var position: Position
        var entries: [(part: KeyPart, slot: Slot)] = []
        var indices: [Name: Int] = [:]
    }

    private var branches = [Branch(origin: .header, position: Position(line: 1, column: 1))]
    /// The indices of the tables in each list; at least one per list.
    private var lists: [[Int]] = []
    /// The index of the table with the last header.
    private(set) var current = 0

    // MARK: - Headers

    /// Opens the table of a header `[a.b]`.
    mutating func openTable(_ parts: [KeyPart]) throws(Fault) {
        guard let last = parts.last else { return }
        let parent = try self.parent(of: parts)
        switch self.slot(last, in: parent) {
        case nil:
            self.current = self.add(last, in: parent, .header)
        case .table(let index) where self.branches[index].origin == .mention:
            self.branches[index].origin = .header
            self.branches[index].position = last.position
            self.current = index
        case .some(let slot):
            throw .duplicate(line: self.line(of: slot))
        }
    }

    /// Opens the next table of a header `[[a.b]]`.
    mutating func appendTable(_ parts: [KeyPart]) throws(Fault) {
        guard let last = parts.last else { return }
        let parent = try self.parent(of: parts)
        let table = self.branches.count
        switch self.slot(last, in: parent) {
        case nil:
            self.set(last, in: parent, .list(self.lists.count))
            self.lists.append([table])
        case .list(let index):
            self.lists[index].append(table)
        case .some(let slot):
            throw .duplicate(line: self.line(of: slot))
        }
        self.branches.append(Branch(origin: .header, position: last.position))
        self.current = table
    }

    /// Returns the table of all names but the last; creates missing tables.
    private mutating func parent(of parts: [KeyPart]) throws(Fault) -> Int {
        var branch = 0
        for part in parts.dropLast() {
            switch self.slot(part, in: branch) {
            case nil: branch = self.add(part, in: branch, .mention)
            case .table(let index): branch = index
            case .list(let index): branch = self.lists[index].last ?? branch
            case .node(let node): throw Self.refusal(part, node)
            }
        }
        return branch
    }

    // MARK: - Keys

    /// Sets a dotted key in a table of this tree.
    mutating func set(_ parts: [KeyPart], to node: TOMLNode, in branch: Int) throws(Fault) {
        guard let last = parts.last else { return }
        var branch = branch
        for part in parts.dropLast() {
            switch self.slot(part, in: branch) {
            case nil: branch = self.add(part, in: branch, .dottedKey)
            case .table(let index):
                switch self.branches[index].origin {
                case .dottedKey: break
                case .mention:
                    self.branches[index].origin = .dottedKey
                    self.branches[index].position = part.position
                case .header: throw .tableDefinedElsewhere(line: self.branches[index].position.line)
                }
                branch = index
            case .list(let index): throw .tableDefinedElsewhere(line: self.line(of: .list(index)))
            case .node(let node): throw Self.refusal(part, node)
            }
        }
        if let slot = self.slot(last, in: branch) { throw .duplicate(line: self.line(of: slot)) }
        self.set(last, in: branch, .node(node))
    }

    private static func refusal(_ part: KeyPart, _ node: TOMLNode) -> Fault {
        node.value.table == nil
            ? .notATable(part.name, line: node.position.line) : .inlineTableExtended(line: node.position.line)
    }

    // MARK: - Tables in braces

    /// Starts a table in braces, which has no name yet.
    mutating func beginInlineTable() -> Int {
        self.branches.append(Branch(origin: .header, position: Position(line: 1, column: 1)))
        return self.branches.count - 1
    }

    /// Returns the table in braces that was started last, and removes it from the tree.
    mutating func endInlineTable(_ branch: Int) -> Table {
        let table = self.table(branch)
        self.branches.removeSubrange(branch...)
        return table
    }

    // MARK: - The tree

    /// The root table with all tables in it.
    var root: Table { self.table(0) }

    /// Builds a table recursively; ``Parser`` bounds the depth.
    private func table(_ branch: Int) -> Table {
        let entries = self.branches[branch].entries.map { part, slot in
            Table.Entry(name: part.name, position: part.position, node: self.node(slot, part.position))
        }
        return Table(entries: entries, indices: self.branches[branch].indices)
    }

    private func node(_ slot: Slot, _ position: Position) -> TOMLNode {
        switch slot {
        case .node(let node): node
        case .table(let index): TOMLNode(value: .table(self.table(index)), position: position)
        case .list(let index):
            TOMLNode(
                value: .array(
                    self.lists[index].map {
                        TOMLNode(value: .table(self.table($0)), position: self.branches[$0].position)
                    }
                ),
                position: position
            )
        }
    }

    private func slot(_ part: KeyPart, in branch: Int) -> Slot? {
        self.branches[branch].indices[Name(text: part.name)].map { self.branches[branch].entries[$0].slot }
    }

    private func line(of slot: Slot) -> Int {
        switch slot {
        case .node(let node): node.position.line
        case .table(let index): self.branches[index].position.line
        case .list(let index): self.lists[index].first.map { self.branches[$0].position.line } ?? 1
        }
    }

    private mutating func add(_ part: KeyPart, in parent: Int, _ origin: Origin) -> Int {
        self.set(part, in: parent, .table(self.branches.count))
        self.branches.append(Branch(origin: origin, position: part.position))
        return self.branches.count - 1
    }

    private mutating func set(_ part: KeyPart, in branch: Int, _ slot: Slot) {
        self.branches[branch].indices[Name(text: part.name)] = self.branches[branch].entries.count
        self.branches[branch].entries.append((part, slot))
    }
}
