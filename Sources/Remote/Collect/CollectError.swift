// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a call of a database failed; the transaction is over.
package enum CollectError: Error, Hashable, Sendable {
    /// The database does not answer: the connection is lost, or the server starts or stops. Later it may work.
    case unreachable(String)
    /// A human must act: a wrong password, a missing right, a newer schema.
    case refused(String)
    /// There is no room on the disk.
    case full(String)
    /// Another writer was in the way: the same transaction may work at once.
    case conflict(String)
    /// The database does not accept a value of the rows.
    case invalid(String)
}

extension CollectError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(let reason): "the database does not answer: \(reason)"
        case .refused(let reason): "the database can't be used: \(reason)"
        case .full(let reason): "there is no room for the database: \(reason)"
        case .conflict(let reason): "another writer was in the way: \(reason)"
        case .invalid(let reason): "the database does not accept a value: \(reason)"
        }
    }
}
