// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What makes a record of a stream unique: who wrote it, in which life, and its number in that stream.
package struct RecordNumber: Hashable, Sendable {
    package let agent: String
    /// Grows with every start of the agent.
    package let epoch: UInt64
    /// Grows by one from record to record of one stream in one epoch.
    package let seq: UInt64

    package init(agent: String, epoch: UInt64, seq: UInt64) {
        self.agent = agent
        self.epoch = epoch
        self.seq = seq
    }
}
