// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Reads the table `[store]`.
enum StoreReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Store {
        .init(
            directory: cursor.path(.storeDirectory),
            limit: cursor.mebibytes(.storeLimitMiB, in: 1...65_536) ?? 256 << 20,
            batchInterval: cursor.seconds(.storeBatchSeconds, in: 0...3600) ?? .seconds(10),
            keepDays: cursor.integer(.storeKeepDays, in: 0...3650) ?? 90
        )
    }
}
