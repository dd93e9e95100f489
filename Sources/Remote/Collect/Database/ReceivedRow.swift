// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import PostgreSQL
import SQLite

/// A row of the table `received`: agent, stream, epoch, numbers, lost, last, ended, next_ask, asks.
struct ReceivedRow {
    let key: StreamKey
    let received: Received

    /// Reads a row; nil if it is damaged.
    init?(_ row: PostgreSQLRow) {
        self.init(text: row.text, integer: { $0 == 6 ? row.boolean(6).map { $0 ? 1 : 0 } : row.integer($0) })
    }

    /// Reads a row; nil if it is damaged.
    init?(_ row: Row) {
        self.init(text: row.text, integer: row.integer)
    }

    private init?(text: (Int32) -> String?, integer: (Int32) -> Int64?) {
        guard let agent = text(0), let stream = text(1).flatMap({ RecordStream(rawValue: $0) }),
            let epoch = integer(2).flatMap({ UInt64(exactly: $0) }), let numbers = text(3).flatMap({ NumberSet($0) }),
            let lost = text(4).flatMap({ NumberSet($0) }), let last = integer(5).flatMap({ UInt64(exactly: $0) }),
            let isEnded = integer(6), let asks = integer(8)
        else { return nil }
        self.key = StreamKey(agent: agent, stream: stream, epoch: epoch)
        var received = Received()
        received.numbers = numbers
        received.lost = lost
        received.last = last
        received.isEnded = isEnded != 0
        received.nextAsk = integer(7).map { Timestamp(milliseconds: $0) }
        received.asks = Int(clamping: asks)
        self.received = received
    }
}
