// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// A command in the journal.
package struct CommandEntry: Hashable, Sendable {
    /// The unique key of the command in the journal.
    package let id: String
    /// The arrival of the command, on the monotonic clock of this boot.
    package let at: MonotonicTime
    /// The date until which the entry must not be deleted, even if the journal is full; nil: it may be at any time.
    package var until: Timestamp?
    /// The state in ``response``.
    package let state: CommandResponse.State
    /// The body of the last response to the command.
    package let response: [UInt8]
    /// The vehicle of the command, and the address for further responses; there is no address after the final response.
    package let destination: StoredRecord.Destination

    package init(
        id: String,
        at: MonotonicTime,
        until: Timestamp? = nil,
        state: CommandResponse.State,
        response: [UInt8],
        destination: StoredRecord.Destination
    ) {
        self.id = id
        self.at = at
        self.until = until
        self.state = state
        self.response = response
        self.destination = destination
    }
}

/// A command without a final response in the journal.
package struct UnfinishedCommand: Hashable, Sendable {
    /// The body of the last response to the command.
    package let response: [UInt8]
    /// The vehicle of the command, empty if it is unknown, and the address for further responses.
    package let destination: StoredRecord.Destination
}
