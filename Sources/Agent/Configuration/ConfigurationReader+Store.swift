// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML


extension ConfigurationReader {
    mutating func store() -> Configuration.Store {
        let window = self.found(.storeBatchSeconds).flatMap {
            self.seconds($0, at: Key.storeBatchSeconds.path, in: 0...3600)
        }
        return .init(
            directory: self.path(.storeDirectory),
            limit: self.mebibytes(.storeLimitMiB, in: 1...65_536) ?? 256 << 20,
            window: window ?? .seconds(10),
            keepDays: self.days(.storeKeepDays, in: 0...3650) ?? 90
        )
    }

    /// The whole number of days at `key`.
    private mutating func days(_ key: Key, in range: ClosedRange<Int64>) -> Int64? {
        switch self.found(key) {
        case nil:
            return nil
        case .integer(let value) where range.contains(value):
            return value
        case .integer(let value):
            self.report(key.path, "\(value) days are out of range; use \(range.lowerBound) to \(range.upperBound)")
            return nil
        case .some(let value):
            self.report(key.path, "expected a whole number of days, found \(value)")
            return nil
        }
    }
}
