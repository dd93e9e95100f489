// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Which ECU answers which PID with how many bytes, as it was seen.
///
/// It tells what exactly the answer to several PIDs must be, and how many frames it has.
struct KnownAnswers: Sendable {
    /// How many bytes of data each ECU answers.
    typealias Lengths = [ECUAddress: Int]
    /// How many frames each ECU answers.
    typealias Shape = [ECUAddress: Int]

    private struct Entry: Sendable {
        var lengths: Lengths
        /// How often in a row that was the answer, without a count of frames.
        var sightings = 0
        /// How often in a row a group did not answer it, though it was answered alone.
        var strikes = 0
        /// Until when it is asked alone.
        var aloneUntil: MonotonicTime?
    }

    private struct Evidence: Sendable {
        /// How often in a row an answer had this shape, without a count.
        var matches = 0
        /// How often it must have.
        var wanted = KnownAnswers.wanted.first
        /// How many requests with a count there were since the last one without.
        var counted = 0
    }

    /// How often in a row a number of frames must have been seen before the adapter is told it.
    static let wanted = (first: 3, longest: 192)
    /// How often a PID must have been answered by the same ECUs for that.
    static let sightings = 2
    /// After so many requests with a count there is one without: to notice whom it cuts off.
    static let countedLimit = 100
    /// How often a PID may be missing from a group's answer before it is asked alone, and for how long it then is.
    static let strikeLimit = 2
    static let alone = Duration.seconds(300)

    private let bus: BusProtocol
    private var entries: [PID: Entry] = [:]
    private var shapes: [Shape: Evidence] = [:]

    init(on bus: BusProtocol) { self.bus = bus }

    /// Whether `pid` may be asked together with others.
    func joins(_ pid: PID, at now: MonotonicTime) -> Bool {
        guard let entry = self.entries[pid], entry.sightings > 0 else { return false }
        return entry.aloneUntil.map { $0 <= now } ?? true
    }

    /// The PIDs of these that `ecu` answers, each with the length of its data.
    func answered(of pids: [PID], by ecu: ECUAddress) -> [PID: Int] {
        pids.reduce(into: [:]) { $0[$1] = self.entries[$1]?.lengths[ecu] }
    }

    /// The ECUs that answer some of `pids`.
    func ecus(of pids: [PID]) -> Set<ECUAddress> { Set(self.expectation(of: pids).lengths.keys) }

    /// What is answered to `pid` alone.
    func lengths(of pid: PID) -> Lengths { self.entries[pid]?.lengths ?? [:] }

    /// Whether some ECU answers `pid`.
    func knows(_ pid: PID) -> Bool { !self.lengths(of: pid).isEmpty }

    /// What the answer to some PIDs must be, which more can be added to.
    struct Expectation: Sendable {
        /// The bytes of each ECU's message, the one of the service among them.
        fileprivate(set) var lengths: Lengths = [:]
        /// Of the PID that was seen least often.
        fileprivate var sightings = Int.max
    }

    func expectation(of pids: some Sequence<PID>) -> Expectation {
        pids.reduce(into: Expectation()) { self.add($1, to: &$0) }
    }

    func add(_ pid: PID, to expectation: inout Expectation) {
        let entry = self.entries[pid]
        expectation.sightings = min(expectation.sightings, entry?.sightings ?? 0)
        for (ecu, length) in entry?.lengths ?? [:] { expectation.lengths[ecu, default: 1] += 1 + length }
    }

    // MARK: - Learning

    /// `pid` was answered whole, alone.
    mutating func saw(_ pid: PID, _ lengths: Lengths, isCounted: Bool) {
        guard let known = self.entries[pid] else { return self.entries[pid] = Entry(lengths: lengths, sightings: 1) }
        guard known.lengths != lengths else {
            if !isCounted || known.sightings == 0 { self.entries[pid]?.sightings += 1 }
            return
        }
        // Who answers has changed: nobody knows how many frames anything has now.
        if Set(known.lengths.keys) != Set(lengths.keys) { self.forgetShapes() }
        self.entries[pid] = Entry(lengths: lengths, sightings: 1, strikes: known.strikes, aloneUntil: known.aloneUntil)
    }

    /// `pids` were answered whole, together.
    mutating func saw(_ pids: [PID], isCounted: Bool) {
        for pid in pids {
            self.entries[pid]?.strikes = 0
            if !isCounted { self.entries[pid]?.sightings += 1 }
        }
    }

    /// `pid` was asked, and its answer was not what it used to be: it is asked alone next.
    mutating func doubt(_ pid: PID) { self.entries[pid]?.sightings = 0 }

    /// A group did not answer `pid`.
    mutating func strike(_ pid: PID, at now: MonotonicTime) {
        self.doubt(pid)
        guard var entry = self.entries[pid] else { return }
        entry.strikes += 1
        if entry.strikes >= Self.strikeLimit {
            // After that it has one more try.
            (entry.strikes, entry.aloneUntil) = (Self.strikeLimit - 1, now + Self.alone)
        }
        self.entries[pid] = entry
    }

    // MARK: - Frames

    /// How many frames each ECU answers.
    private func shape(of expectation: Expectation) -> Shape {
        expectation.lengths.mapValues { self.bus.isCAN ? Self.frames($0) : 1 }
    }

    /// ISO 15765-2: seven bytes in a single frame; six in a first one, and seven in each that follows.
    private static func frames(_ length: Int) -> Int { length <= 7 ? 1 : 1 + length / 7 }

    /// How many characters an adapter prints for the answer, with headers and the prompt.
    func printedLength(of expectation: Expectation) -> Int {
        let identifier = self.bus.hasExtendedIdentifiers ? 8 : 3
        return expectation.lengths.values.reduce(2) { sum, length in
            let frames = Self.frames(length)
            let control = frames == 1 ? 1 : 2 + frames - 1
            return sum + frames * (identifier + 1) + 2 * (length + control)
        }
    }

    /// How many frames to tell the adapter to wait for; nil where that is not known well, and now and then.
    func frameCount(of expectation: Expectation) -> Int? {
        guard expectation.sightings >= Self.sightings else { return nil }
        let shape = self.shape(of: expectation)
        guard let evidence = self.shapes[shape], evidence.matches >= evidence.wanted,
            evidence.counted < Self.countedLimit
        else { return nil }
        let count = shape.values.reduce(0, +)
        return 1...15 ~= count ? count : nil
    }

    /// The answer to `pids` had the shape that was expected.
    mutating func matched(_ pids: [PID], isCounted: Bool) {
        self.judge(pids) { evidence in
            if isCounted {
                evidence.counted += 1
            } else {
                evidence.matches = min(evidence.matches + 1, evidence.wanted)
                evidence.counted = 0
            }
        }
    }

    /// The answer to `pids` had another shape: it takes twice as much to believe in this one again.
    mutating func mismatched(_ pids: [PID]) {
        self.judge(pids) { evidence in
            evidence.wanted = min(evidence.wanted * 2, Self.wanted.longest)
            evidence.matches = 0
        }
    }

    private mutating func judge(_ pids: [PID], _ change: (inout Evidence) -> Void) {
        change(&self.shapes[self.shape(of: self.expectation(of: pids)), default: Evidence()])
    }

    /// The ECUs that answer have changed.
    mutating func forgetShapes() {
        for shape in self.shapes.keys { self.shapes[shape]?.matches = 0 }
    }
}
