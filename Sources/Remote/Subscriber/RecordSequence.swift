// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract

/// Tells new records of a stream from those that came already, and what is missing between them.
package struct RecordSequence: Sendable {
    /// How many agents are followed, and how many gaps of each are remembered.
    private static let limit = 1000

    package enum Verdict: Hashable, Sendable {
        /// - Parameter missing: how many before it have not come.
        case new(missing: UInt64)
        case duplicate
    }

    private struct Position {
        var epoch: UInt64
        var seq: UInt64
        /// What was missing when it was passed over, and may still come.
        var gaps: [ClosedRange<UInt64>] = []
    }

    private var positions: [String: Position] = [:]

    package init() {}

    /// A record came.
    package mutating func receive(_ number: RecordNumber) -> Verdict {
        guard var position = self.positions[number.agent] else {
            // Where it began nobody knows.
            guard self.positions.count < Self.limit else { return .new(missing: 0) }
            self.positions[number.agent] = Position(epoch: number.epoch, seq: number.seq)
            return .new(missing: 0)
        }
        defer { self.positions[number.agent] = position }
        // A new start of the agent begins a new count; of the one before nothing comes after it.
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
    /// The number that a payload of a stream has; nil where it has none.
    init?(_ json: JSON) {
        guard let agent = json["agent"].string, agent.utf8.count <= 128, let epoch = json["epoch"].count,
            let seq = json["seq"].count
        else { return nil }
        self.init(agent: agent, epoch: epoch, seq: seq)
    }
}
