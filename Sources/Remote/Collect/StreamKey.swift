// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The name of a sequence of numbers: a stream of an agent between two of its starts, on the topics of one vehicle.
///
/// The broker vouches for the vehicle, and nobody for the agent in a payload. So what comes on the topics of one vehicle
/// never stands for a record of another, whatever agent it names.
package struct StreamKey: Hashable, Sendable {
    /// The identity of the agent; ASCII letters, digits and dashes.
    package var agent: String
    /// The topic level of the vehicle.
    package var vehicle: String
    package var stream: RecordStream
    package var epoch: UInt64

    package init(agent: String, vehicle: String, stream: RecordStream, epoch: UInt64) {
        self.agent = agent
        self.vehicle = vehicle
        self.stream = stream
        self.epoch = epoch
    }

    /// The same sequence on the topics of all vehicles.
    package var sequence: AgentSequence {
        AgentSequence(agent: self.agent, stream: self.stream, epoch: self.epoch)
    }
}

extension StreamKey: Comparable {
    /// The order in which all collectors lock the rows of a database, so that they cannot wait for each other.
    package static func < (left: StreamKey, right: StreamKey) -> Bool {
        if left.sequence != right.sequence { return left.sequence < right.sequence }
        return left.vehicle.utf8.lexicographicallyPrecedes(right.vehicle.utf8)
    }
}

/// A sequence of numbers of an agent: a stream between two of its starts.
///
/// An agent that moves into another vehicle goes on counting, so several vehicles may have a part of the numbers.
package struct AgentSequence: Hashable, Sendable, Comparable {
    package var agent: String
    package var stream: RecordStream
    package var epoch: UInt64

    package init(agent: String, stream: RecordStream, epoch: UInt64) {
        self.agent = agent
        self.stream = stream
        self.epoch = epoch
    }

    package static func < (left: AgentSequence, right: AgentSequence) -> Bool {
        (left.agent, left.stream.rawValue, left.epoch) < (right.agent, right.stream.rawValue, right.epoch)
    }
}
