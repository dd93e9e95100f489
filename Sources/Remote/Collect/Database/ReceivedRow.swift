// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import PostgreSQL
import SQLite

/// A row of the table `received`.
struct ReceivedRow {
    /// The columns in the order in which the row is read; the time comes as milliseconds.
    static let columns = [
        "agent", "vehicle", "stream", "epoch", "numbers", "lost", "last", "ended", "has_holes", "end_known", "next_ask",
        "asks",
    ]
    private static let booleans: ClosedRange<Int32> = 7...9

    let key: StreamKey
    let received: Received

    /// Reads a row; nil if it is damaged.
    init?(_ row: PostgreSQLRow) {
        self.init(
            text: row.text,
            integer: { column in
                Self.booleans.contains(column) ? row.boolean(column).map { $0 ? 1 : 0 } : row.integer(column)
            }
        )
    }

    /// Reads a row; nil if it is damaged.
    init?(_ row: Row) {
        self.init(text: row.text, integer: row.integer)
    }

    private init?(text: (Int32) -> String?, integer: (Int32) -> Int64?) {
        guard let agent = text(0), let vehicle = text(1), let stream = text(2).flatMap({ RecordStream(rawValue: $0) }),
            let epoch = integer(3).flatMap({ UInt64(exactly: $0) }), let numbers = text(4).flatMap({ NumberSet($0) }),
            let lost = text(5).flatMap({ NumberSet($0) }), let last = integer(6).flatMap({ UInt64(exactly: $0) }),
            let isEnded = integer(7), let hasHoles = integer(8), let isEndKnown = integer(9), let asks = integer(11)
        else { return nil }
        self.key = StreamKey(agent: agent, vehicle: vehicle, stream: stream, epoch: epoch)
        var received = Received()
        received.numbers = numbers
        received.lost = lost
        received.last = last
        received.isEnded = isEnded != 0
        received.outlook.hasHoles = hasHoles != 0
        received.outlook.isEndKnown = isEndKnown != 0
        received.nextAsk = integer(10).map { Timestamp(milliseconds: $0) }
        received.asks = Int(clamping: asks)
        self.received = received
    }
}
