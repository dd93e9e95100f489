// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// Watches whether the vehicle that answers is still the identified one, and schedules the proofs of its identity.
///
/// An adapter that is moved to another vehicle usually loses its power and the link. An adapter with its own battery
/// keeps the link. So the identity is proved again at each sign of a move, before any other request, and once a minute
/// without a sign. A move takes at least a second in which no ECU answers. That silence is the surest sign.
struct IdentityWatch: Sendable {
    /// The interval between two proofs without a sign of a move.
    ///
    /// On J1939 the request takes seconds.
    static let interval = (usual: Duration.seconds(60), j1939: Duration.seconds(600))
    /// The number of proofs in a row that may be unreadable.
    static let unreadableLimit = 3
    /// The change of the supply voltage between two readings, in volts, that is a sign of a move.
    private static let voltageStep = 1.0
    /// The values that never decrease in one vehicle while its engine runs.
    private static let counters: Set<String> = ["odometer", "run_time", "distance_since_clear", "distance_with_mil"]

    /// Whether there was a sign of a move since the last proof.
    private(set) var isInDoubt = false
    /// Whether another vehicle answers, or one that no longer proves its identity.
    private(set) var isLost = false
    /// The time of the last proof; before the first one, the time of the identification.
    private var proven: MonotonicTime?
    /// Whether this vehicle has proved its identity before.
    private var hasProved = false
    private var unreadable = 0
    /// Whether the last answer was that of another vehicle.
    private var isOther = false
    /// The PIDs that were not answered.
    private var unansweredPIDs: Set<PID> = []
    private var volts: Double?
    private var counts: [String: Double] = [:]

    /// Whether the next proof uses the long timeout, because the last one was unreadable.
    var usesLongTimeout: Bool { self.unreadable > 0 }

    /// Notes that the vehicle is identified.
    mutating func identified(at now: MonotonicTime) { self.proven = self.proven ?? now }

    /// Returns the time of the next proof without a sign; nil before the vehicle is identified.
    func next(_ dialect: Dialect) -> MonotonicTime? {
        self.proven.map { $0 + (dialect == .j1939 ? Self.interval.j1939 : Self.interval.usual) }
    }

    /// Notes a sign of a move.
    mutating func doubt() { self.isInDoubt = self.proven != nil }

    /// Notes that no ECU has answered a PID that no ECU is known to answer.
    ///
    /// The first silence of a PID is a sign of a move.
    mutating func pidUnanswered(_ pid: PID) { if self.unansweredPIDs.insert(pid).inserted { self.doubt() } }

    /// Compares the supply voltage with the last one.
    mutating func voltageMeasured(_ volts: Double) {
        if let before = self.volts, abs(volts - before) >= Self.voltageStep { self.doubt() }
        self.volts = volts
    }

    /// Looks for a sign of a move in a value of an ECU.
    mutating func valueReceived(_ name: String, _ value: Double) {
        guard Self.counters.contains(name) else { return }
        if let before = self.counts[name], value < before { self.doubt() }
        self.counts[name] = value
    }

    /// Takes over the result of a proof.
    mutating func answered(_ proof: VehicleProof, at now: MonotonicTime) {
        switch proof {
        case .same:
            (self.isInDoubt, self.isOther, self.hasProved, self.unreadable, self.proven) = (false, false, true, 0, now)
        case .other:
            // A character may have been corrupted in transit, so one different answer is not enough.
            self.isLost = self.isOther
            (self.isInDoubt, self.isOther) = (true, true)
        case .unreadable: self.failed(at: now)
        }
    }

    /// Notes that ECUs answer, and that the proof of their identity could not be read.
    mutating func failed(at now: MonotonicTime) {
        self.isInDoubt = true
        self.unreadable += 1
        guard self.unreadable >= Self.unreadableLimit else { return }
        // Some vehicles report their identity only at the start.
        if self.hasProved { self.isLost = true }
        (self.isInDoubt, self.unreadable, self.proven) = (false, 0, now)
    }
}
