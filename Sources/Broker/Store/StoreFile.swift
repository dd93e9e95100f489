// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import EventLoop
import Base

/// The database of the store: opening it, and setting aside what is none.
///
/// It is in WAL mode with `synchronous = FULL`. A commit appends to the log and waits until the device has it, so that
/// a power cut costs what was not committed and nothing else; every frame of the log has a checksum, so a torn write
/// at its end is as if it had never been. `NORMAL` would not wait, and could lose half a minute that the window of the
/// store promises. What a wait costs an SD card, 30 to 40 kB of its own and the file system's pages, it costs once in
/// a window: so there are few commits, and deletes ride along.
final class StoreFile {
    static let name = "obd-agent.db"
    /// How many damaged files are kept.
    static let setAsideLimit = 2
    /// What a page of SQLite's takes, in bytes.
    static let pageSize: Int64 = 4096

    let database: Database
    /// The most bytes that the file may have.
    let limit: Int64
    /// The streams that are kept also after the broker has them.
    let recorded: Set<RecordStream>
    /// The present start's number.
    let epoch: UInt64

    /// Opens the database of a directory, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that it may have.
    ///   - recorded: the streams that are kept also after the broker has them.
    init(
        in directory: String,
        limit: Int64,
        recorded: Set<RecordStream>,
        _ beginning: Beginning
    ) throws(StoreError) {
        let path = "\(directory)/\(Self.name)"
        guard TextFile.isDirectory(directory) else { throw .noDirectory(directory) }
        self.limit = limit
        self.recorded = recorded
        let found = try Self.translating { () throws(SQLiteError) in try Self.version(of: path) }
        if let found, found > Schema.version { throw .newer(version: found, path: path) }
        // Not for everybody: it says where a vehicle was.
        _ = TextFile.write([], to: path, how: .appending)
        let pages = max(64, limit / Self.pageSize)
        (self.database, self.epoch) = try Self.translating { () throws(SQLiteError) in
            let database = try Database(path)
            for pragma in [
                "page_size = \(Self.pageSize)", "journal_mode = WAL", "synchronous = FULL", "cache_size = -512",
                "journal_size_limit = 4194304", "max_page_count = \(pages)",
                // A log that is begun again often grows seldom: what it does not grow by costs no metadata.
                "wal_autocheckpoint = 50",
            ] { try database.run("PRAGMA \(pragma)") }
            try Schema.migrate(database)
            return (database, try Self.begin(database, beginning, lastElsewhere: EpochFile.last(in: directory)))
        }
        EpochFile.write(self.epoch, in: directory)
        if case .going(let epoch) = beginning, epoch < self.epoch { throw .ahead(epoch: self.epoch) }
    }

    /// Which epoch begins when a file is opened.
    enum Beginning {
        /// One more than the last; this one where there was none.
        case next(orFirst: UInt64)
        /// The one that has begun already; the file's must not be later.
        case going(UInt64)
    }

    private static func begin(
        _ database: Database,
        _ beginning: Beginning,
        lastElsewhere: UInt64?
    ) throws(SQLiteError) -> UInt64 {
        try database.transaction { () throws(SQLiteError) in
            let here = try database.integer("SELECT value FROM meta WHERE name = 'epoch'").map { UInt64(max(0, $0)) }
            let last = [here, lastElsewhere].compactMap(\.self).max()
            let epoch =
                switch beginning {
                case .next(let first): min(last.map { $0 + 1 } ?? first, RecordID.epochLimit)
                case .going(let epoch): max(epoch, last ?? 0)
                }
            try database.run("INSERT OR REPLACE INTO meta VALUES ('epoch', ?)", [.integer(Int64(epoch))])
            return epoch
        }
    }

    /// What goes wrong with SQLite goes wrong with the store.
    static func translating<Result>(_ body: () throws(SQLiteError) -> Result) throws(StoreError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .sqlite(error) }
    }

    /// The version of a file, read without changing anything; nil where there is none.
    private static func version(of path: String) throws(SQLiteError) -> Int64? {
        guard let header = TextFile.bytes(of: path, limit: 100), !header.isEmpty else { return nil }
        let database = try Database(path, .readOnly)
        return try database.integer("PRAGMA user_version")
    }

    /// Gives a damaged file another name, its log with it; the oldest of them goes.
    ///
    /// - Returns: the new name.
    static func setAside(in directory: String) throws(StoreError) -> String {
        let path = "\(directory)/\(Self.name)"
        let names = (1...Self.setAsideLimit).map { "\(path).corrupt-\($0)" }
        for (older, younger) in zip(names, [path] + names).reversed() {
            TextFile.move(younger, to: older)
            TextFile.remove(older + "-wal")
            TextFile.move(younger + "-wal", to: older + "-wal")
        }
        TextFile.remove(path + "-shm")
        guard TextFile.bytes(of: path, limit: 1) == nil else { throw .stuck(path: path) }
        return names[0]
    }
}
