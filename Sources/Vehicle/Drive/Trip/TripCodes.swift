// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The codes that have appeared and gone in a trip.
struct TripCodes: Hashable, Sendable {
    /// The largest number of codes that are kept of each kind.
    private static let limit = 32

    private(set) var appeared: [String] = []
    private(set) var gone: [String] = []

    init(appeared: [String] = [], gone: [String] = []) { (self.appeared, self.gone) = (appeared, gone) }

    mutating func changed(appeared: [String], gone: [String]) {
        self.appeared = Self.joined(self.appeared, appeared)
        self.gone = Self.joined(self.gone, gone)
    }

    private static func joined(_ codes: [String], _ more: [String]) -> [String] {
        more.reduce(into: codes) { if $0.count < Self.limit, !$0.contains($1) { $0.append($1) } }
    }
}
