// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Remote
import Testing

@testable import Subscriber

@Suite("The sequence of records in a stream")
struct RecordSequenceTests {
    private static func verdicts(_ numbers: [(epoch: UInt64, seq: UInt64)]) -> [RecordSequence.Verdict] {
        var sequence = RecordSequence()
        return numbers.map { sequence.receive(RecordNumber(agent: "a", epoch: $0.epoch, seq: $0.seq)) }
    }

    @Test("A repeated record is a duplicate, also after other records")
    func duplicates() {
        let verdicts = Self.verdicts([(1, 5), (1, 6), (1, 5), (1, 6), (1, 7), (1, 4)])
        #expect(
            verdicts == [
                .new(missing: 0), .new(missing: 0), .duplicate, .duplicate, .new(missing: 0), .duplicate,
            ]
        )
    }

    @Test("A gap is reported once, and each of its records may still arrive once")
    func gaps() {
        let verdicts = Self.verdicts([(1, 1), (1, 5), (1, 3), (1, 3), (1, 2), (1, 4), (1, 4), (1, 6)])
        #expect(
            verdicts == [
                .new(missing: 0), .new(missing: 3), .new(missing: 0), .duplicate, .new(missing: 0), .new(missing: 0),
                .duplicate, .new(missing: 0),
            ]
        )
    }

    @Test("A new epoch starts a new sequence, and records of the previous epoch are duplicates")
    func epochs() {
        let verdicts = Self.verdicts([(1, 100), (2, 1), (1, 101), (2, 2)])
        #expect(verdicts == [.new(missing: 0), .new(missing: 0), .duplicate, .new(missing: 0)])
    }

    @Test("Extreme numbers do not trap")
    func ends() {
        let most = UInt64.max
        let verdicts = Self.verdicts([(0, 0), (0, most), (0, most), (0, 1), (most, most), (most, 0)])
        #expect(
            verdicts == [
                .new(missing: 0), .new(missing: most - 1), .duplicate, .new(missing: 0), .new(missing: 0), .duplicate,
            ]
        )
    }

    @Test("Agents have separate sequences")
    func agents() {
        var sequence = RecordSequence()
        #expect(sequence.receive(RecordNumber(agent: "a", epoch: 1, seq: 1)) == .new(missing: 0))
        #expect(sequence.receive(RecordNumber(agent: "b", epoch: 1, seq: 1)) == .new(missing: 0))
        #expect(sequence.receive(RecordNumber(agent: "a", epoch: 1, seq: 1)) == .duplicate)
    }
}
