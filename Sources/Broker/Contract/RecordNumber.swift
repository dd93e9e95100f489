// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The unique number of a record in its stream: the agent, the agent's start, and a sequence number.
package struct RecordNumber: Hashable, Sendable {
    package let agent: String
    /// The number of the agent's start; it increases with each start.
    package let epoch: UInt64
    /// The sequence number; it increases by one from record to record of a stream in an epoch.
    package let seq: UInt64

    package init(agent: String, epoch: UInt64, seq: UInt64) {
        self.agent = agent
        self.epoch = epoch
        self.seq = seq
    }
}
