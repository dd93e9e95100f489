// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Reads the table `[uplink]`.
enum UplinkReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Uplink {
        .init(
            live: cursor.word(.uplinkLive) ?? .always,
            batchInterval: cursor.seconds(.uplinkBatchSeconds, in: 1...3600) ?? .seconds(10),
            compression: cursor.word(.uplinkCompression) ?? .none,
            dailyBudget: Self.dailyBudget(&cursor)
        )
    }

    /// Returns the bytes per day, or `nil` for no limit.
    ///
    /// The minimum is 0.1 MiB, because less would not even pay for a day's connections.
    private static func dailyBudget(_ cursor: inout ConfigurationCursor) -> Int? {
        let bytes = cursor.mebibytes(.uplinkDailyBudget, in: 0.1...1_048_576, allowsZero: true)
        return bytes.flatMap { $0 == 0 ? nil : Int(clamping: $0) }
    }
}
