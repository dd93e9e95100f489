// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import SQLite

/// The reason why the store has no usable database.
package enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The directory does not exist, or can't be entered.
    case noDirectory(String)
    /// The database does not exist, or this user may not read it.
    case noDatabase(String)
    /// An older version of the agent has written the file, and this process only reads.
    case older(version: Int64, path: String)
    /// A newer version of the agent has written the file.
    ///
    /// The file is left unchanged.
    case newer(version: Int64, path: String)
    /// The file is damaged, and can't be renamed.
    case stuck(path: String)
    /// The epoch in the file is later than the current one: a wrong clock has begun it.
    case ahead(epoch: UInt64)
    /// Records of an epoch are wanted that has not begun.
    case notBegun(epoch: UInt64, present: UInt64)
    case sqlite(SQLiteError)

    package var description: String {
        switch self {
        case .noDirectory(let path):
            "there is no directory \(path). Try: create it, or set [store] directory to another one"
        case .noDatabase(let path): "there is no readable database \(path)"
        case .older(let version, let path):
            """
            \(path) is from an older obd-agent (file version \(version)). Try: start the agent, which migrates the file
            """
        case .newer(let version, let path):
            """
            \(path) is from a newer obd-agent (file version \(version)) and left unchanged. Try: update the agent, or \
            move the file
            """
        case .stuck(let path): "\(path) is damaged and can't be renamed. Try: move it away"
        case .ahead(let epoch):
            "a clock that was ahead has begun the database (epoch \(epoch)). It is used from the next start on"
        case .notBegun(let epoch, let present):
            "epoch \(epoch) has not begun; the present one is \(present). Try: an epoch from 0 to \(present)"
        case .sqlite(let error): error.description
        }
    }

    /// Whether the same connection to the database may work again.
    var isPassing: Bool {
        if case .sqlite(let error) = self { error.cause == .full || error.cause == .busy } else { false }
    }

    /// Whether the file is damaged, so that a new one may work.
    var isCorruption: Bool {
        if case .sqlite(let error) = self { error.cause == .corrupt } else { false }
    }

    /// Runs `body` and turns an error of SQLite into one of the store.
    static func wrapping<Result>(_ body: () throws(SQLiteError) -> Result) throws(StoreError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw .sqlite(error) }
    }
}
