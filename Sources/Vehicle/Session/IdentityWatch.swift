// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// Whether the vehicle that answers is still the one that was identified, and when it is asked for its identity again.
///
/// An adapter that moves into another vehicle loses its power, and with it the link, as a rule. One with a battery of its
/// own keeps the link. So the identity is proved again at each sign of a move, before anything else is asked, and
/// otherwise once a minute. A move takes at least a second in which no ECU answers: the surest sign.
struct IdentityWatch: Sendable {
    /// The interval between two proofs without a sign of a move.
    ///
    /// On J1939 the request takes seconds.
    static let interval = (usual: Duration.seconds(60), j1939: Duration.seconds(600))
    /// The number of proofs in a row that may be unreadable.
    static let unreadableLimit = 3
    /// A change of the supply by so many volts between two readings is a sign.
    private static let voltageStep = 1.0
    /// The values that never decrease in one vehicle while its engine runs.
    private static let counters: Set<String> = ["odometer", "run_time", "distance_since_clear", "distance_with_mil"]

    /// Whether there was a sign of a move since the last proof.
    private(set) var isInDoubt = false
    /// Whether another vehicle answers, or one that does not identify itself.
    private(set) var isLost = false
    /// The time of the identification, and of the last proof.
    private var asked: MonotonicTime?
    /// Whether this vehicle tells its identity when it is asked again.
    private var hasProved = false
    private var unreadable = 0
    /// Whether the last answer was that of another vehicle.
    private var isOther = false
    /// The PIDs that were not answered.
    private var mute: Set<PID> = []
    private var volts: Double?
    private var counts: [String: Double] = [:]

    /// Whether the next question may take its time: the last one was not answered.
    var isPatient: Bool { self.unreadable > 0 }

    /// The vehicle is identified.
    mutating func identified(at now: MonotonicTime) { self.asked = self.asked ?? now }

    /// The time of the next proof without a sign; nil before the vehicle is identified.
    func next(_ dialect: Dialect) -> MonotonicTime? {
        self.asked.map { $0 + (dialect == .j1939 ? Self.interval.j1939 : Self.interval.usual) }
    }

    /// There is a sign of a move.
    mutating func doubt() { self.isInDoubt = self.asked != nil }

    /// No ECU answers a PID of which nobody knows whether any answers it: a sign, the first time.
    mutating func fellSilent(_ pid: PID) { if self.mute.insert(pid).inserted { self.doubt() } }

    /// The adapter told its supply voltage.
    mutating func measured(_ volts: Double) {
        if let before = self.volts, abs(volts - before) >= Self.voltageStep { self.doubt() }
        self.volts = volts
    }

    /// An ECU told a value.
    mutating func heard(_ name: String, _ value: Double) {
        guard Self.counters.contains(name) else { return }
        if let before = self.counts[name], value < before { self.doubt() }
        self.counts[name] = value
    }

    /// The ECUs were asked for their identity.
    mutating func answered(_ proof: VehicleProof, at now: MonotonicTime) {
        switch proof {
        case .same:
            (self.isInDoubt, self.isOther, self.hasProved, self.unreadable, self.asked) = (false, false, true, 0, now)
        case .other:
            // A character may have changed on the way, once.
            self.isLost = self.isOther
            (self.isInDoubt, self.isOther) = (true, true)
        case .unreadable: self.failed(at: now)
        }
    }

    /// ECUs answer, and do not tell their identity.
    mutating func failed(at now: MonotonicTime) {
        self.isInDoubt = true
        self.unreadable += 1
        guard self.unreadable >= Self.unreadableLimit else { return }
        // Some vehicles tell it only at the start.
        if self.hasProved { self.isLost = true }
        (self.isInDoubt, self.unreadable, self.asked) = (false, 0, now)
    }
}
