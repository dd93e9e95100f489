// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// When the key is turned and the engine runs, and what the supply does: instead of the endless round of trips.
package struct Timetable: Hashable, Sendable {
    /// What holds until the next entry.
    package struct Entry: Hashable, Sendable {
        /// Since when, after the vehicle's first moment.
        package var time: Duration
        package var ignition: Bool
        package var engineRuns: Bool
        /// V, and how far the readings scatter around it.
        package var voltage: Double
        package var noise: Double

        package init(
            _ time: Duration,
            ignition: Bool = false,
            engineRuns: Bool = false,
            _ voltage: Double,
            noise: Double = 0
        ) {
            self.time = time
            self.ignition = ignition || engineRuns
            self.engineRuns = engineRuns
            self.voltage = voltage
            self.noise = noise
        }
    }

    private let entries: [Entry]

    /// - Parameter entries: at least one, in the order of their times.
    package init(_ entries: [Entry]) {
        precondition(!entries.isEmpty)
        self.entries = entries
    }

    /// What holds at `elapsed`; before the first entry, that one.
    func entry(at elapsed: Duration) -> Entry {
        // The times are sorted.
        var (low, high) = (0, self.entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.entries[middle].time <= elapsed { low = middle + 1 } else { high = middle }
        }
        return self.entries[max(0, low - 1)]
    }

    /// The voltage at `elapsed`: another one each half second.
    func voltage(at elapsed: Duration, _ dice: Dice) -> Double {
        let entry = self.entry(at: elapsed)
        let index = Int(clamping: elapsed.milliseconds / 500)
        return dice.value(at: index, in: entry.voltage - entry.noise...entry.voltage + entry.noise)
    }
}
