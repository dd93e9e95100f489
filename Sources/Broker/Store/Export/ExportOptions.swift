// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// What is exported, and how.
package struct ExportOptions: Hashable, Sendable {
    /// The form of the file.
    package enum Format: String, CaseIterable, Sendable {
        /// Comma-separated values with a header, as RFC 4180 has them.
        case csv
        /// A JSON object a line.
        case jsonl
    }

    /// What a row of samples is.
    package enum Layout: String, CaseIterable, Sendable {
        /// One sample.
        case long
        /// All samples of one time, with a column for each parameter.
        case wide
    }

    /// The vehicle's topic level.
    package var vehicle: String
    package var kind: Recording.Kind
    /// What is earlier is left out.
    package var from: Timestamp?
    /// What is not earlier is left out.
    package var to: Timestamp?
    package var format: Format
    package var layout: Layout

    package init(
        vehicle: String,
        kind: Recording.Kind,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        format: Format = .csv,
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
