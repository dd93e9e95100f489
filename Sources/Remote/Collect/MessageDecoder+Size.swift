// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

// The memory that decoded messages take until they are written: that of the decoded form, of the rows, and of the
// statements to the database. The sizes are estimates that are rather too large.

extension MessageDecoder.Decoded {
    /// The estimated size in bytes.
    var size: Int {
        switch self {
        case .record(let record): record.size
        case .state(let state, let changes, _): 500 + 3 * state.body.count + 200 * changes.count
        case .rejected(let rejected): 500 + 2 * rejected.message.payload.count
        case .foreign: 100
        }
    }
}

extension CollectedRecord {
    private static let sampleSize = 160
    private static let pointSize = 300
    private static let seriesSize = 600

    /// The estimated size in bytes.
    var size: Int {
        var size = 1000 + self.message.payload.count
        switch self.content {
        case .telemetry(_, let points): size += points.count * Self.pointSize
        case .event(let event): size += 3 * event.body.count
        case .response(let response): size += 3 * response.body.count
        }
        for series in self.series {
            // The name is in the record, in the statements and in the tables of known names.
            let name = series.key.parameter.utf8.count + series.key.ecu.utf8.count
            size += Self.seriesSize + 4 * name + series.values.count * Self.sampleSize
        }
        return size
    }
}
