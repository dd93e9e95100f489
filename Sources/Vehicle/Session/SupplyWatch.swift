// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// What the adapter's voltage readings tell: of the battery, and of changes that look like ignition.
///
/// No voltage by itself means anything: alternators of today drive a vehicle at 12.4 V. What counts is the change from
/// the level at which the vehicle has rested, taken from the median of several readings.
package struct SupplyWatch: Sendable {
    /// A lasting change of the resting level by so many volts looks like ignition.
    static let change = 0.35
    /// The same where the level is a single reading.
    static let provisionalChange = 0.45
    /// A change by so many is worth more readings.
    static let doubt = 0.2
    /// A reading so far below the level is a starter that turns, in volts.
    static let dip = 1.0
    /// How many readings a look has, and one that is in doubt.
    static let readings = 3
    static let readingsInDoubt = 9
    /// How many looks in a row may be a starter's; after that it is another level.
    private static let longestDip = 15
    /// How many looks make the level.
    private static let levelLength = 8
    /// How long the voltage falls by itself after the engine has stopped.
    private static let settling = Duration.seconds(1800)
    /// How many looks in a row make a battery low, or charged again.
    private static let lowLooks = 3
    /// So many volts above the limit a battery that was low may be asked, and is no longer low.
    private static let recovery = 0.2
    private static let rearming = 0.3
    /// How far running and resting must differ for the voltage to tell them apart, in volts.
    private static let telling = 0.5
    /// How many hourly levels the trend has, and in which time it is told first.
    private static let trendLength = 72
    private static let trendSpan = Duration.seconds(6 * 3600)

    private let offset: Double
    private let limit: Double
    /// The medians of the last looks.
    private var levels: [Double] = []
    /// Whether the level is a single reading.
    private var isProvisional = false
    /// The last readings of a session, and while the engine ran.
    private var recent: [(volts: Double, time: MonotonicTime)] = []
    private var running: [Double] = []
    private var restingSince: MonotonicTime?
    private var hourly: [(volts: Double, time: MonotonicTime)] = []
    private var looksAboutLow = 0
    /// The looks since the starter began to turn.
    private var dips = 0

    /// The newest voltage, in volts: the median of the last readings.
    package private(set) var voltage: Double?
    /// The lowest voltage while the starter turned, the last time that it was seen.
    package private(set) var lowestCranking: Double?
    /// Whether the battery of the resting vehicle is low: told once, with hysteresis.
    package private(set) var isLow = false
    /// Whether nothing may be asked for the voltage.
    package private(set) var forbids = false
    /// Whether it was seen that the voltage of this vehicle tells whether it runs.
    package private(set) var tells = false

    package init(_ policy: ParkingPolicy) {
        self.offset = policy.voltageOffset
        self.limit = policy.minimumVoltage
    }

    /// The level at which the vehicle rests, in volts; nil until it has been looked at.
    package var resting: Double? { self.levels.median }

    /// How fast the resting level changes, in volts a day; nil where that is not known yet.
    package var trend: Double? {
        guard let first = self.hourly.first, let last = self.hourly.last, last.time - first.time >= Self.trendSpan
        else { return nil }
        return (last.volts - first.volts) / (last.time - first.time).seconds * 86_400
    }

    // MARK: - While the vehicle is asked

    /// The adapter was asked for its voltage in a session.
    package mutating func measured(_ reading: Double, isRunning: Bool, at now: MonotonicTime) {
        let volts = reading + self.offset
        self.recent = self.recent.suffix(4).filter { now - $0.time < .seconds(60) } + [(volts, now)]
        self.voltage = self.recent.map(\.volts).median
        if isRunning {
            self.running = self.running.suffix(4) + [volts]
            self.forbids = false
        } else if self.recent.count >= 3, let first = self.recent.first, now - first.time >= .seconds(20) {
            // A starter does not turn for that long.
            self.judge(self.voltage ?? volts)
        }
        self.levels = []
        self.hourly = []
    }

    /// The engine runs now, and did not before.
    package mutating func engineStarted() {
        let before = self.recent.map(\.volts)
        self.running = []
        self.forbids = false
        guard let lowest = before.min(), let level = before.max(), lowest <= level - Self.dip / 2 else { return }
        self.lowestCranking = lowest
    }

    /// Whether `reading` is at another level than those of the running engine; nil where that can't be told.
    package func hasLeftRunning(_ reading: Double?) -> Bool? {
        guard let reading, let running = self.running.median else { return nil }
        return abs(reading + self.offset - running) >= Self.change
    }

    /// The adapter was asked for its voltage on the way to the bus.
    ///
    /// - Returns: whether it is too low to go on.
    package mutating func began(_ reading: Double) -> Bool {
        self.voltage = reading + self.offset
        self.judge(reading + self.offset)
        return self.forbids
    }

    // MARK: - While the vehicle rests

    package enum LookedAction: Hashable, Sendable {
        case steady
        /// More readings are needed to tell.
        case readMore
        /// The starter may be turning.
        case dipped
        /// The level is another one, which looks like ignition.
        case changed
    }

    /// The voltage of a resting vehicle was read a few times in a row.
    package mutating func looked(_ readings: [Double], at now: MonotonicTime) -> LookedAction {
        let volts = readings.map { $0 + self.offset }
        guard let median = volts.median, let lowest = volts.min() else { return .steady }
        self.voltage = median
        let since = self.restingSince ?? now
        self.restingSince = since
        guard let level = self.levels.median else {
            self.isProvisional = false
            self.rest(at: median, now)
            return .steady
        }
        if lowest <= level - Self.dip, !self.isProvisional, self.dips < Self.longestDip {
            self.lowestCranking = self.dips == 0 ? lowest : min(lowest, self.lowestCranking ?? lowest)
            self.dips += 1
            return .dipped
        }
        self.dips = 0
        let difference = median - level
        if abs(difference) >= Self.doubt, readings.count < Self.readingsInDoubt { return .readMore }
        let change = self.isProvisional ? Self.provisionalChange : Self.change
        if self.isProvisional { (self.levels, self.isProvisional) = ([], false) }
        guard abs(difference) >= change else {
            self.rest(at: median, now)
            return .steady
        }
        self.levels = []
        self.rest(at: median, now)
        // It falls by itself after the engine has stopped.
        return difference > 0 || now - since >= Self.settling ? .changed : .steady
    }

    private mutating func rest(at volts: Double, _ now: MonotonicTime) {
        self.levels = self.levels.suffix(Self.levelLength - 1) + [volts]
        self.judge(volts)
        self.countLow(volts)
        if self.levels.count >= 3, let running = self.running.median, let level = self.levels.median {
            self.tells = self.tells || abs(running - level) >= Self.telling
        }
        if self.hourly.last.map({ now - $0.time >= .seconds(3600) })
            ?? (now - (self.restingSince ?? now) >= Self.settling)
        {
            self.hourly = self.hourly.suffix(Self.trendLength - 1) + [(self.levels.median ?? volts, now)]
        }
    }

    /// The vehicle rests from now on: the level is what was read last, until it has been looked at.
    package mutating func settle() {
        self.levels = self.voltage.map { [$0] } ?? []
        self.isProvisional = true
    }

    /// A session begins or ends: the vehicle does not rest, or has only begun to.
    package mutating func unsettle() {
        self.levels = []
        self.recent = []
        self.hourly = []
        self.restingSince = nil
        self.looksAboutLow = 0
    }

    private mutating func judge(_ volts: Double) {
        self.forbids = volts < self.limit + (self.forbids ? Self.recovery : 0)
    }

    private mutating func countLow(_ volts: Double) {
        let isOther = self.isLow ? volts >= self.limit + Self.rearming : volts < self.limit
        self.looksAboutLow = isOther ? self.looksAboutLow + 1 : 0
        guard self.looksAboutLow >= Self.lowLooks else { return }
        self.isLow.toggle()
        self.looksAboutLow = 0
    }
}

extension [Double] {
    /// The middle one, or the lower of the two in the middle; nil where there is none.
    fileprivate var median: Double? {
        self.isEmpty ? nil : self.sorted()[(self.count - 1) / 2]
    }
}
