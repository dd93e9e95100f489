// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Rows for `COPY … FROM STDIN WITH (FORMAT binary)`.
///
/// The server takes a value only in the type of its column: a caller appends one value for each column, in order.
/// The format: https://www.postgresql.org/docs/current/sql-copy.html.
package struct CopyRows: Sendable {
    private(set) var bytes: [UInt8] = Self.header
    /// The number of rows.
    package private(set) var count = 0

    private static let header = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
    /// The milliseconds from 1970 to 2000, where PostgreSQL's times begin.
    private static let start: Int64 = 946_684_800_000

    package init() {}

    /// Begins a row.
    package mutating func beginRow(columns: Int) {
        self.append(Int16(columns))
        self.count += 1
    }

    /// Appends NULL, for a column of any type.
    package mutating func appendNull() { self.append(Int32(-1)) }

    /// Appends a value for a column `bigint`.
    package mutating func append(bigint number: Int64) {
        self.append(Int32(8))
        self.append(number)
    }

    /// Appends a value for a column `integer`.
    package mutating func append(integer number: Int32) {
        self.append(Int32(4))
        self.append(number)
    }

    /// Appends a value for a column `double precision`.
    package mutating func append(double number: Double) {
        self.append(Int32(8))
        self.append(number.bitPattern)
    }

    /// Appends a value for a column `boolean`.
    package mutating func append(boolean value: Bool) {
        self.append(Int32(1))
        self.bytes.append(value ? 1 : 0)
    }

    /// Appends a value for a column `timestamptz`.
    package mutating func append(time: Timestamp) {
        self.append(Int32(8))
        self.append((time.milliseconds - Self.start) * 1000)
    }

    /// Appends a value for a column `text`, with U+FFFD in place of each U+0000.
    package mutating func append(text: String) {
        self.append(bytes: Array(PostgreSQLValue.withoutNUL(text).utf8))
    }

    /// Appends a value for a column `jsonb`: JSON without the escape of U+0000.
    package mutating func append(jsonb text: [UInt8]) {
        // The version of the format.
        self.append(bytes: [1] + text)
    }

    /// Appends a value for a column `bytea`.
    package mutating func append(bytes: [UInt8]) {
        self.append(Int32(clamping: bytes.count))
        self.bytes += bytes
    }

    private mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            self.bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }
}
