// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// Detects duplicate and missing records in a stream, by their numbers.
package struct RecordSequence: Sendable {
    /// The largest number of agents, and of gaps for each agent.
    private static let limit = 1000

    /// The judgment of a record.
    package enum Verdict: Hashable, Sendable {
        /// The record is new.
        ///
        /// - Parameter missing: the number of records missing right before this one.
        case new(missing: UInt64)
        /// The record was received before, or is older than the present epoch.
        case duplicate
    }

    private struct Position {
        var epoch: UInt64
        var seq: UInt64
        /// The ranges of missing numbers, which may still arrive.
        var gaps: [ClosedRange<UInt64>] = []
    }

    private var positions: [String: Position] = [:]

    package init() {}

    /// Judges a record by its number.
    package mutating func receive(_ number: RecordNumber) -> Verdict {
        guard var position = self.positions[number.agent] else {
            // The start of the stream is unknown, so nothing counts as missing.
            guard self.positions.count < Self.limit else { return .new(missing: 0) }
            self.positions[number.agent] = Position(epoch: number.epoch, seq: number.seq)
            return .new(missing: 0)
        }
        defer { self.positions[number.agent] = position }
        // A restart of the agent begins a new epoch. Records of the previous epoch do not arrive after it.
        if number.epoch > position.epoch {
            position = Position(epoch: number.epoch, seq: number.seq)
            return .new(missing: 0)
        }
        guard number.epoch == position.epoch else { return .duplicate }
        if number.seq > position.seq {
            let missing = number.seq - position.seq - 1
            if missing > 0 {
                if position.gaps.count == Self.limit { position.gaps.removeFirst() }
                position.gaps.append((position.seq + 1)...(number.seq - 1))
            }
            position.seq = number.seq
            return .new(missing: missing)
        }
        guard let index = position.gaps.firstIndex(where: { $0.contains(number.seq) }) else { return .duplicate }
        let gap = position.gaps.remove(at: index)
        if gap.lowerBound < number.seq { position.gaps.append(gap.lowerBound...(number.seq - 1)) }
        if number.seq < gap.upperBound { position.gaps.append((number.seq + 1)...gap.upperBound) }
        return .new(missing: 0)
    }
}

extension RecordNumber {
    /// Reads the number of a record; nil if the payload has none.
    package init?(_ json: JSON) {
        guard let agent = json["agent"].string, agent.utf8.count <= 128, let epoch = json["epoch"].count,
            let seq = json["seq"].count
        else { return nil }
        self.init(agent: agent, epoch: epoch, seq: seq)
    }
}
