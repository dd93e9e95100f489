// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import Base

/// What was announced of a vehicle outside of its topics, to be removed there some day.
package struct AnnouncedEntry: Hashable, Sendable {
    package let id: String
    /// A JSON object.
    package let body: [UInt8]

    package init(id: String, body: [UInt8]) {
        self.id = id
        self.body = body
    }
}

extension StoreFile {
    /// What was announced, in the order in which it was written.
    func announced() throws(StoreError) -> [AnnouncedEntry] {
        try Self.translating { () throws(SQLiteError) in
            var entries: [AnnouncedEntry] = []
            try self.database.run("SELECT id, body FROM announced ORDER BY rowid") { row in
                guard let id = row.text(0), let body = row.blob(1) else { return }
                entries.append(AnnouncedEntry(id: id, body: body))
            }
            return entries
        }
    }

    /// When a value of the vehicle was read last; nil where none was, or where nobody knew the date.
    func lastValueTime(of vehicle: String) throws(StoreError) -> Int64? {
        try Self.translating { () throws(SQLiteError) in
            try self.database.integer(
                """
                SELECT max(b.started + v.at) FROM last_values v JOIN boots b ON b.id = v.boot
                WHERE v.vehicle = ? AND b.trusted = 1
                """,
                [.text(vehicle)]
            )
        }
    }

    /// All that is announced; nil where that is as it was.
    func write(_ announced: [AnnouncedEntry]?) throws(SQLiteError) {
        guard let announced else { return }
        try self.database.run("DELETE FROM announced")
        for entry in announced {
            try self.database.run("INSERT INTO announced VALUES (?, ?)", [.text(entry.id), .blob(entry.body)])
        }
    }
}

extension Store {
    /// What was announced.
    package func announced() -> [AnnouncedEntry] {
        self.remembered.announced ?? ((try? self.file?.announced()) ?? [])
    }

    /// This is all that is announced, from now on and after a restart.
    package func remember(announced: [AnnouncedEntry]) { self.remembered.announced = announced }

    /// When a value of the vehicle was read last, by what is on the disk.
    package func lastSeen(_ vehicle: String) -> Timestamp? {
        ((try? self.file?.lastValueTime(of: vehicle)) ?? nil).map(Timestamp.init(milliseconds:))
    }
}
