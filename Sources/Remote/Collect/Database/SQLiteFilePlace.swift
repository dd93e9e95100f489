// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// The identities of a database file, its log and its lock, as they were when the database was opened.
struct SQLiteFilePlace {
    private let path: String
    private let stamps: [(path: String, stamp: FileStamp)]

    /// Takes the identities of the files that are there.
    init(_ path: String) {
        self.path = path
        self.stamps = [path, Self.log(of: path), "\(path).lock"].compactMap { path in
            FileStamp(of: path).map { (path, $0) }
        }
    }

    /// The path of a file that was deleted or replaced since; nil if none was.
    var missing: String? { self.stamps.first { !Self.isThere($0.path, $0.stamp) }?.path }

    /// Removes the log if it is still that of the database that was open.
    func removeLogs() {
        let log = Self.log(of: self.path)
        guard let stamp = self.stamps.first(where: { $0.path == log })?.stamp, Self.isThere(log, stamp) else { return }
        TextFile.remove(log)
        TextFile.remove("\(self.path)-shm")
    }

    private static func isThere(_ path: String, _ stamp: FileStamp) -> Bool {
        FileStamp(of: path)?.isSameFile(as: stamp) == true
    }

    private static func log(of path: String) -> String { "\(path)-wal" }
}
