// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

// A capture as a table.
extension CaptureReport {
    /// The names of the columns of a row for each reading.
    package static let columns = [
        "vehicle", "moment", "clock", "rule", "seconds", "time", "parameter", "ecu", "value", "unit",
    ]

    /// Returns the readings in the order of their times; empty if a time overflows.
    package func readings(at moment: Timestamp) -> [TelemetrySample] {
        Telemetry(series: self.series).samples(from: moment) ?? []
    }

    /// Returns a table with a row for each reading, or with one for each time and a column for each parameter.
    ///
    /// - Parameters:
    ///   - moment: the time of the record.
    ///   - unit: returns the metric unit of a series.
    package func table(
        of vehicle: String,
        at moment: Timestamp,
        clock: ClockQuality,
        isWide: Bool,
        as format: RowWriter.Format,
        unit: (String) -> String?
    ) -> String {
        let readings = self.readings(at: moment)
        return isWide ? self.wide(readings, moment, format) : self.long(readings, vehicle, moment, clock, format, unit)
    }

    private func long(
        _ readings: [TelemetrySample],
        _ vehicle: String,
        _ moment: Timestamp,
        _ clock: ClockQuality,
        _ format: RowWriter.Format,
        _ unit: (String) -> String?
    ) -> String {
        let writer = RowWriter(format, columns: Self.columns)
        let rows = readings.map { reading in
            writer.row([
                .string(vehicle), .string(moment.description), .string(clock.rawValue), .string(self.rule),
                Self.seconds(reading.time, moment), .string(reading.time.description), .string(reading.series),
                .string(reading.ecu), .number(reading.value), unit(reading.series).map { .string($0) } ?? .null,
            ])
        }
        return writer.header + rows.joined()
    }

    private func wide(_ readings: [TelemetrySample], _ moment: Timestamp, _ format: RowWriter.Format) -> String {
        let series = self.series.keys.sorted()
        let writer = RowWriter(format, columns: ["seconds", "time"] + series)
        let column = Dictionary(uniqueKeysWithValues: zip(series, 2...))
        let empty = [JSON](repeating: .null, count: series.count)
        var text = writer.header
        var rest = readings[...]
        // A row at a time: a forged capture may have thousands of series, each with a time of its own.
        while let time = rest.first?.time {
            var cells = [Self.seconds(time, moment), .string(time.description)] + empty
            for reading in rest.prefix(while: { $0.time == time }) {
                if let place = column[reading.series] { cells[place] = .number(reading.value) }
            }
            text += writer.row(cells)
            rest = rest.drop { $0.time == time }
        }
        return text
    }

    /// Returns the seconds since the moment; negative before it.
    private static func seconds(_ time: Timestamp, _ moment: Timestamp) -> JSON {
        .number(Double(time.milliseconds - moment.milliseconds) / 1000)
    }
}
