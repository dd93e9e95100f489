// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Store
import Testing

@Suite("Rows of trips")
struct TripRowTests {
    @Test("A trip is a row, from its duration before its end")
    func row() {
        let trip: JSON = [
            "duration": 90, "distance": 1.5, "codes_gone": ["P0301", "P0420"], "start": ["fuel_level": 60],
        ]
        let cells = TripRow.cells(
            trip,
            of: "van",
            end: Timestamp(milliseconds: 100_000),
            clock: .synchronised,
            isOngoing: false
        )
        let row = Dictionary(zip(TripRow.columns, cells)) { first, _ in first }
        #expect(cells.count == TripRow.columns.count && row.count == cells.count)
        #expect(row["start"] == .string(Timestamp(milliseconds: 10_000).description))
        #expect(row["distance"] == 1.5 && row["fuel"] == .null && row["start_fuel_level"] == 60)
        #expect(row["codes_gone"] == "P0301 P0420" && row["codes_appeared"] == .null)
    }

    @Test("A damaged trip is a row without figures")
    func damaged() {
        for trip in [JSON.null, ["duration": "long"], ["duration": -5], ["duration": 1e300]] {
            let end = Timestamp(milliseconds: 2_000_000_000_000)
            #expect(TripRow.start(of: trip, end: end).milliseconds <= end.milliseconds)
        }
    }
}
