// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// The lengths of each ECU's answer to each PID: those of the standard, until they are observed.
///
/// The answers give the exact reply to expect for several PIDs, and its number of frames.
struct KnownAnswers: Sendable {
    /// The number of data bytes in each ECU's answer.
    typealias Lengths = [ECUAddress: Int]
    /// The number of frames in each ECU's answer.
    typealias Shape = [ECUAddress: Int]

    private struct Entry: Sendable {
        var lengths: Lengths
        /// The number of answers in a row with these lengths, to requests without a frame count.
        var sightings = 0
        /// The number of groups in a row that did not answer the PID although it is answered alone.
        var strikes = 0
        /// The time until which the PID is requested alone.
        var aloneUntil: MonotonicTime?
        /// Whether the lengths are those of the standard, which no answer has shown yet.
        var isPresumed = false
    }

    private struct Evidence: Sendable {
        /// The number of answers in a row with this shape, to requests without a frame count.
        var matches = 0
        /// The number of matches that is needed before a frame count is sent.
        var wanted = KnownAnswers.wanted.first
        /// The number of requests with a frame count since the last one without.
        var counted = 0
    }

    /// The number of matching answers in a row before the adapter gets a frame count.
    static let wanted = (first: 3, longest: 192)
    /// The number of answers to each PID with the same lengths that a frame count needs.
    static let sightings = 2
    /// The number of requests with a frame count before one without, which shows whether the count cuts off an ECU.
    static let countedLimit = 100
    /// The number of group answers without a PID after which the PID is requested alone.
    static let strikeLimit = 2
    /// The time for which such a PID is requested alone.
    static let alone = Duration.seconds(300)

    private let bus: BusProtocol
    private var entries: [PID: Entry] = [:]
    private var shapes: [Shape: Evidence] = [:]
    /// Whether an answer has shown that the lengths of the standard do not hold for this vehicle.
    private var isUnusual = false

    init(on bus: BusProtocol) { self.bus = bus }

    /// Whether `pid` may be requested together with others.
    func joins(_ pid: PID, at now: MonotonicTime) -> Bool {
        guard let entry = self.entries[pid], entry.sightings > 0 else { return false }
        return entry.aloneUntil.map { $0 <= now } ?? true
    }

    /// Returns the PIDs that `ecu` answers, each with the length of its data.
    func answered(of pids: [PID], by ecu: ECUAddress) -> [PID: Int] {
        pids.reduce(into: [:]) { $0[$1] = self.entries[$1]?.lengths[ecu] }
    }

    /// Returns the ECUs that answer some of `pids`.
    func ecus(of pids: [PID]) -> Set<ECUAddress> { Set(self.expectation(of: pids).lengths.keys) }

    /// Returns the lengths of the answers to `pid` alone.
    func lengths(of pid: PID) -> Lengths { self.entries[pid]?.lengths ?? [:] }

    /// Whether some ECU has answered `pid`.
    func knows(_ pid: PID) -> Bool { self.entries[pid].map { !$0.isPresumed && !$0.lengths.isEmpty } ?? false }

    /// The expected answer to a group of PIDs, to which more PIDs can be added.
    struct Expectation: Sendable {
        /// The length of each ECU's message in bytes, including the byte of the service.
        fileprivate(set) var lengths: Lengths = [:]
        /// The sightings of the PID that has the fewest.
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

    // MARK: - Presuming

    /// Takes over the lengths of the standard for a PID that some ECUs support, unless an answer has shown others.
    mutating func presume(_ pid: PID, _ lengths: Lengths) {
        guard !self.isUnusual, self.entries[pid] == nil, !lengths.isEmpty else { return }
        self.entries[pid] = Entry(lengths: lengths, sightings: 1, isPresumed: true)
    }

    /// Withdraws all lengths that no answer has shown, because a group was not answered as presumed.
    ///
    /// - Returns: whether some of `pids` had such lengths. If so, the answer shows nothing else.
    mutating func withdrawPresumptions(after pids: [PID]) -> Bool {
        guard pids.contains(where: { self.entries[$0]?.isPresumed == true }) else { return false }
        self.entries = self.entries.filter { !$0.value.isPresumed }
        self.isUnusual = true
        return true
    }

    // MARK: - Learning

    /// Records a complete answer to `pid` alone.
    mutating func pidAnswered(_ pid: PID, _ lengths: Lengths, isCounted: Bool) {
        guard let known = self.entries[pid] else { return self.entries[pid] = Entry(lengths: lengths, sightings: 1) }
        guard known.lengths != lengths else {
            if !isCounted || known.sightings == 0 { self.wasSeen(pid) }
            return
        }
        // Other ECUs answer than before, so the numbers of frames are no longer known.
        if Set(known.lengths.keys) != Set(lengths.keys) { self.forgetShapes() }
        self.entries[pid] = Entry(lengths: lengths, sightings: 1, strikes: known.strikes, aloneUntil: known.aloneUntil)
    }

    /// Records a complete answer to `pids` in one request.
    mutating func groupAnswered(_ pids: [PID], isCounted: Bool) {
        for pid in pids {
            self.entries[pid]?.strikes = 0
            if !isCounted { self.wasSeen(pid) }
        }
    }

    private mutating func wasSeen(_ pid: PID) {
        // The sighting of a presumed answer was none.
        if self.entries[pid]?.isPresumed == false { self.entries[pid]?.sightings += 1 }
        self.entries[pid]?.isPresumed = false
    }

    /// Records that the answer to `pid` has changed, so that the PID is requested alone next.
    mutating func doubt(_ pid: PID) { self.entries[pid]?.sightings = 0 }

    /// Records that the answer to a group lacks `pid`.
    mutating func strike(_ pid: PID, at now: MonotonicTime) {
        self.doubt(pid)
        guard var entry = self.entries[pid] else { return }
        entry.strikes += 1
        if entry.strikes >= Self.strikeLimit {
            // After that time the PID has one more try in a group.
            (entry.strikes, entry.aloneUntil) = (Self.strikeLimit - 1, now + Self.alone)
        }
        self.entries[pid] = entry
    }

    // MARK: - Frames

    /// Returns the number of frames in each ECU's answer.
    private func shape(of expectation: Expectation) -> Shape {
        expectation.lengths.mapValues { self.bus.isCAN ? Self.frames($0) : 1 }
    }

    /// Returns the number of frames of a message by ISO 15765-2.
    ///
    /// A single frame has seven bytes. A first frame has six, and each consecutive frame seven.
    private static func frames(_ length: Int) -> Int { length <= 7 ? 1 : 1 + length / 7 }

    /// Returns the number of characters that an adapter prints for the answer, with headers and the prompt.
    func printedLength(of expectation: Expectation) -> Int {
        let identifier = self.bus.hasExtendedIdentifiers ? 8 : 3
        return expectation.lengths.values.reduce(2) { sum, length in
            let frames = Self.frames(length)
            let control = frames == 1 ? 1 : 2 + frames - 1
            return sum + frames * (identifier + 1) + 2 * (length + control)
        }
    }

    /// Returns the number of frames that the adapter has to wait for; nil to send no frame count.
    ///
    /// No count is sent while the number is not certain, and once after ``countedLimit`` requests with a count.
    func frameCount(of expectation: Expectation) -> Int? {
        guard expectation.sightings >= Self.sightings else { return nil }
        let shape = self.shape(of: expectation)
        guard let evidence = self.shapes[shape], evidence.matches >= evidence.wanted,
            evidence.counted < Self.countedLimit
        else { return nil }
        let count = shape.values.reduce(0, +)
        return 1...15 ~= count ? count : nil
    }

    /// Records that the answer to `pids` had the expected shape.
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

    /// Records that the answer to `pids` had another shape.
    ///
    /// The expected shape then needs twice as many matches as before.
    mutating func mismatched(_ pids: [PID]) {
        self.judge(pids) { evidence in
            evidence.wanted = min(evidence.wanted * 2, Self.wanted.longest)
            evidence.matches = 0
        }
    }

    private mutating func judge(_ pids: [PID], _ change: (inout Evidence) -> Void) {
        change(&self.shapes[self.shape(of: self.expectation(of: pids)), default: Evidence()])
    }

    /// Forgets the observed numbers of frames, because other ECUs answer than before.
    mutating func forgetShapes() {
        for shape in self.shapes.keys { self.shapes[shape]?.matches = 0 }
    }
}
