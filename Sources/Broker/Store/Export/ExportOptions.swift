// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// The selection and the form of an export.
package struct ExportOptions: Hashable, Sendable {
    /// The layouts of rows with samples.
    package enum Layout: String, CaseIterable, Sendable {
        /// A row for each sample.
        case long
        /// A row for each time, with a column for each parameter.
        case wide
    }

    /// The vehicle's topic level.
    package var vehicle: String
    package var kind: Recording.Kind
    /// The earliest exported time.
    package var from: Timestamp?
    /// The end of the exported time range, itself excluded.
    package var to: Timestamp?
    package var format: RowWriter.Format
    package var layout: Layout

    package init(
        vehicle: String,
        kind: Recording.Kind,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        format: RowWriter.Format = .csv,
        layout: Layout = .long
    ) {
        self.vehicle = vehicle
        self.kind = kind
        self.from = from
        self.to = to
        self.format = format
        self.layout = layout
    }

    func contains(_ time: Timestamp) -> Bool {
        (self.from.map { $0 <= time } ?? true) && (self.to.map { time < $0 } ?? true)
    }
}
