// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension Table {
    /// Returns this table with the entries of `other` added; an entry of `other` replaces one of the same name.
    ///
    /// - Parameter depth: the number of levels on which two tables of the same name are merged; below, `other`
    ///   replaces.
    package func overlaid(by other: Table, depth: Int) -> Table {
        var entries = self.entries
        var indices: [Name: Int] = [:]
        for (index, entry) in entries.enumerated() { indices[Name(text: entry.name)] = index }
        for entry in other.entries {
            guard let index = indices[Name(text: entry.name)] else {
                indices[Name(text: entry.name)] = entries.count
                entries.append(entry)
                continue
            }
            if depth > 0, let mine = entries[index].value.table, let theirs = entry.value.table {
                let table = mine.overlaid(by: theirs, depth: depth - 1)
                let node = TOMLNode(value: .table(table), position: entries[index].node.position)
                entries[index] = Entry(name: entry.name, position: entries[index].position, node: node)
            } else {
                entries[index] = entry
            }
        }
        return Table(entries: entries, indices: indices)
    }
}
