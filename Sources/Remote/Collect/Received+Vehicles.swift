// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// An agent that moves into another vehicle goes on counting: what the rows of its vehicles tell together.
extension Received {
    /// Whether the rows of two vehicles cannot be of one agent.
    ///
    /// A number came for both, or came here although the other says that it never will. Then two agents have one
    /// identity, because a card was cloned, or one of the two forges.
    package func contradicts(_ other: Received) -> Bool {
        self.numbers.intersects(other.numbers) || self.isDenied(by: other) || other.isDenied(by: self)
    }

    private func isDenied(by other: Received) -> Bool {
        self.numbers.intersects(other.lost) || other.isEnded && (self.numbers.last ?? 0) > other.last
    }

    /// Returns the row with what others tell that do not contradict it.
    ///
    /// The highest number stays the own one, so that a number that was forged elsewhere opens no holes here.
    package func joined(by others: some Sequence<Received>) -> Received {
        var joined = self
        for other in others where !self.contradicts(other) {
            joined.numbers.formUnion(other.numbers)
            joined.lost.formUnion(other.lost)
            joined.isEnded = joined.isEnded || other.isEnded
        }
        joined.outlook.hasHoles = !joined.holes.isEmpty
        joined.outlook.isEndKnown = joined.isEnded
        return joined
    }
}

extension [StreamKey: Received] {
    /// Each row, joined by those of the same sequence on the topics of other vehicles.
    package func joined() -> [StreamKey: Received] {
        var joined: [StreamKey: Received] = [:]
        for family in self.families {
            for (key, row) in family {
                joined[key] = row.joined(by: family.filter { $0.key != key }.map(\.value))
            }
        }
        return joined
    }

    /// The rows of each sequence.
    fileprivate var families: some Collection<[Element]> {
        [AgentSequence: [Element]](grouping: self) { $0.key.sequence }.values
    }

    /// The pairs of vehicles that one agent cannot have.
    package var contradictions: Set<SharedAgent> {
        var found: Set<SharedAgent> = []
        for family in self.families where family.count > 1 {
            let rows = family.sorted { $0.key < $1.key }
            let pairs = rows.indices.lazy.flatMap { index in rows[..<index].lazy.map { ($0, rows[index]) } }
            // One pair tells enough.
            if let (first, second) = pairs.first(where: { $0.value.contradicts($1.value) }) {
                found.insert(SharedAgent(first.key.agent, first.key.vehicle, second.key.vehicle))
            }
        }
        return found
    }
}

/// The numbers that are known to exist and have not come.
package struct MissingRecords: Hashable, Sendable {
    package var streams = 0
    package var records: UInt64 = 0

    /// - Parameter rows: rows with holes, joined; a number that several vehicles lack counts once.
    package init(_ rows: [StreamKey: Received]) {
        for family in rows.families {
            var holes = NumberSet()
            for (_, row) in family { holes.formUnion(row.holes) }
            if !holes.isEmpty { self.streams += 1 }
            self.records = min(self.records, .max - holes.count) + holes.count
        }
    }
}
