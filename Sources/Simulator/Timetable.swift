// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Base

/// A fixed schedule of ignition, engine and supply voltage that replaces the endless series of trips.
package struct Timetable: Hashable, Sendable {
    /// The state of the vehicle from ``time`` until the next entry.
    package struct Entry: Hashable, Sendable {
        /// The start of this state, counted from the vehicle's first moment.
        package var time: Duration
        package var ignition: Bool
        package var engineRuns: Bool
        /// The mean supply voltage in V.
        ///
        /// Each reading deviates by at most ``noise``.
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

    /// - Parameter entries: at least one entry, in the order of their times.
    package init(_ entries: [Entry]) {
        precondition(!entries.isEmpty)
        self.entries = entries
    }

    /// Returns the entry that applies at `elapsed`.
    ///
    /// Before the first entry, the first one applies.
    func entry(at elapsed: Duration) -> Entry {
        // The times are sorted.
        var (low, high) = (0, self.entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.entries[middle].time <= elapsed { low = middle + 1 } else { high = middle }
        }
        return self.entries[max(0, low - 1)]
    }

    /// Returns the voltage at `elapsed`.
    ///
    /// The voltage changes every half second.
    func voltage(at elapsed: Duration, _ dice: Dice) -> Double {
        let entry = self.entry(at: elapsed)
        let index = Int(clamping: elapsed.milliseconds / 500)
        return dice.value(at: index, in: entry.voltage - entry.noise...entry.voltage + entry.noise)
    }
}
