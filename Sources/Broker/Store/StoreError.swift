// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0


/// Why there is nothing on the disk.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No directory, or none that can be entered.
    case noDirectory(String)
    /// There is no database, or none that this user may read.
    case noDatabase(String)
    /// The file is of an older version of the agent, and is only read.
    case older(version: Int64, path: String)
    /// The file is of a newer version of the agent; it is left as it is.
    case newer(version: Int64, path: String)
    /// The file is damaged and can't be given another name.
    case stuck(path: String)
    /// What is in the file began after what is in memory: the clock was wrong.
    case ahead(epoch: UInt64)
    case sqlite(SQLiteError)

    package var description: String {
        switch self {
        case .noDirectory(let path):
            "there is no directory \(path): create it, or name another one as [store] directory"
        case .noDatabase(let path): "there is no database \(path) that can be read"
        case .older(let version, let path):
            "\(path) is of an older obd-agent (version \(version) of the file): start the agent, which brings it up to date"
        case .newer(let version, let path):
            "\(path) is of a newer obd-agent (version \(version) of the file): it is left as it is; update, or move it away"
        case .stuck(let path): "\(path) is damaged and can't be set aside"
        case .ahead(let epoch):
            "the database was begun by a clock that was ahead (epoch \(epoch)); used from the next start on"
        case .sqlite(let error): error.description
        }
    }

    /// Whether the same connection may work again.
    var isPassing: Bool {
        if case .sqlite(let error) = self { error.cause == .full || error.cause == .busy } else { false }
    }

    /// Whether the file is no good, and another may be.
    var isCorruption: Bool {
        if case .sqlite(let error) = self { error.cause == .corrupt } else { false }
    }
}
