// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Reads the table `[power]`.
enum PowerReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Power {
        let key = Key.powerShutdownAfterParkedSeconds
        if cursor.value(key) == .integer(0) { return .init(shutdownAfter: nil) }
        return .init(shutdownAfter: cursor.seconds(key, in: 60...604_800))
    }
}
