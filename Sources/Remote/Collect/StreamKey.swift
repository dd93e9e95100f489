// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The name of a sequence of numbers: a stream of an agent, between two of its starts.
package struct StreamKey: Hashable, Sendable {
    /// The identity of the agent; ASCII letters, digits and dashes.
    package var agent: String
    package var stream: RecordStream
    package var epoch: UInt64

    package init(agent: String, stream: RecordStream, epoch: UInt64) {
        self.agent = agent
        self.stream = stream
        self.epoch = epoch
    }
}

extension StreamKey: Comparable {
    /// The order in which all collectors lock the rows of a database, so that they cannot wait for each other.
    package static func < (left: StreamKey, right: StreamKey) -> Bool {
        (left.agent, left.stream.rawValue, left.epoch) < (right.agent, right.stream.rawValue, right.epoch)
    }
}
