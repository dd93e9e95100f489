// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import SQLite

/// An announcement of a vehicle outside its own topics, kept so that it can be removed later.
package struct AnnouncedEntry: Hashable, Sendable {
    package let id: String
    /// A JSON object.
    package let body: [UInt8]

    package init(id: String, body: [UInt8]) {
        self.id = id
        self.body = body
    }
}

/// The announcements on the disk.
struct AnnouncementTable {
    let database: Database

    /// Returns all announcements, in the order in which they were written.
    func all() throws(SQLiteError) -> [AnnouncedEntry] {
        var entries: [AnnouncedEntry] = []
        try self.database.run("SELECT id, body FROM announced ORDER BY rowid") { row in
            guard let id = row.text(0), let body = row.blob(1) else { return }
            entries.append(AnnouncedEntry(id: id, body: body))
        }
        return entries
    }

    /// Replaces all announcements.
    func write(_ announced: [AnnouncedEntry]) throws(SQLiteError) {
        try self.database.run("DELETE FROM announced")
        for entry in announced {
            try self.database.run(
                "INSERT INTO announced (id, body) VALUES (?, ?)",
                [.text(entry.id), .blob(entry.body)]
            )
        }
    }
}
