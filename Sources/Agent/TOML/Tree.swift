// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One name of a dotted key or of a header.
struct KeyPart: Sendable {
    let name: String
    let position: Position
}

/// The tables while they are read: what may be added where.
///
/// Tables refer to each other by index, so that the present one is at hand without the way to it.
struct Tree: Sendable {
    /// How a table came to be.
    private enum Origin: Equatable {
        /// Only as a part of another's name: `a` in `[a.b]`.
        case mention
        case header
        /// By dotted keys below one header; it takes more of these, and no header of its own. None from below another
        /// header come here: they would have to pass this one's table.
        case dottedKey
    }

    private enum Slot {
        case node(Node)
        case table(Int)
        /// A list made by `[[…]]`, in ``lists``.
        case list(Int)
    }

    private struct Branch {
        var origin: Origin
        /// Where it was defined, or first mentioned.
        var position: Position
        var entries: [(part: KeyPart, slot: Slot)] = []
        var indices: [Name: Int] = [:]
    }

    private var branches = [Branch(origin: .header, position: Position(line: 1, column: 1))]
    /// The tables of each list; at least one.
    private var lists: [[Int]] = []
    /// The table of the last header.
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
            throw .setBefore(line: self.line(of: slot))
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
            throw .setBefore(line: self.line(of: slot))
        }
        self.branches.append(Branch(origin: .header, position: last.position))
        self.current = table
    }

    /// Follows all names but the last, and makes what is not there.
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
    mutating func set(_ parts: [KeyPart], to node: Node, in branch: Int) throws(Fault) {
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
                case .header: throw .tableElsewhere(line: self.branches[index].position.line)
                }
                branch = index
            case .list(let index): throw .tableElsewhere(line: self.line(of: .list(index)))
            case .node(let node): throw Self.refusal(part, node)
            }
        }
        if let slot = self.slot(last, in: branch) { throw .setBefore(line: self.line(of: slot)) }
        self.set(last, in: branch, .node(node))
    }

    private static func refusal(_ part: KeyPart, _ node: Node) -> Fault {
        node.value.table == nil
            ? .noTable(part.name, line: node.position.line) : .closedTable(line: node.position.line)
    }

    // MARK: - Tables in braces

    /// Begins a table that has no name yet.
    mutating func beginInlineTable() -> Int {
        self.branches.append(Branch(origin: .header, position: Position(line: 1, column: 1)))
        return self.branches.count - 1
    }

    /// Ends the table begun last.
    mutating func endInlineTable(_ branch: Int) -> Table {
        let table = self.table(branch)
        self.branches.removeSubrange(branch...)
        return table
    }

    // MARK: - The tree

    /// All tables.
    var root: Table { self.table(0) }

    /// As deep as the names are, which ``Parser`` bounds.
    private func table(_ branch: Int) -> Table {
        let entries = self.branches[branch].entries.map { part, slot in
            Table.Entry(name: part.name, position: part.position, node: self.node(slot, part.position))
        }
        return Table(entries: entries, indices: self.branches[branch].indices)
    }

    private func node(_ slot: Slot, _ position: Position) -> Node {
        switch slot {
        case .node(let node): node
        case .table(let index): Node(value: .table(self.table(index)), position: position)
        case .list(let index):
            Node(
                value: .array(
                    self.lists[index].map { Node(value: .table(self.table($0)), position: self.branches[$0].position) }
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
