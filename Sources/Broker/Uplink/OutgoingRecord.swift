// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Store

/// A record on its way to the broker.
struct OutgoingRecord: Sendable {
    let record: StoredRecord
    /// Whether the broker has acknowledged the record before, and a consumer has asked for it again.
    let isAgain: Bool
}
