// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A value of a row.
package enum ColumnValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A finite number.
    case real(Double)
    /// A text without NUL.
    case text(String)
    case bytes([UInt8])
    /// A time from 1970 to 2199.
    case time(Timestamp)
    /// A JSON text in UTF-8 without NUL, also not as an escape.
    case json([UInt8])
}

/// The type of a column.
package enum ColumnType: Hashable, Sendable {
    case bool, integer, real, text, bytes, time, json
}
