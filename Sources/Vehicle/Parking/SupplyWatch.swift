// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Judges the supply voltage: the state of the battery, and changes that look like ignition.
///
/// A single voltage does not show the ignition: the alternators of modern vehicles may hold 12.4 V while driving. The
/// change from the resting level counts. Each level is the median of several readings.
package struct SupplyWatch: Sendable {
    /// The lasting change of the resting level, in volts, that looks like ignition.
    static let change = 0.35
    /// The same change if the level is a single reading.
    static let provisionalChange = 0.45
    /// The change in volts that needs more readings.
    static let doubt = 0.2
    /// The drop below the level, in volts, that shows a turning starter.
    static let dip = 1.0
    /// The number of readings in a row, and the number that is needed in case of doubt.
    package static let readingCount = 3
    private static let readingCountInDoubt = 9
    /// The largest number of successive dips that a starter causes; more dips are a change of the level.
    private static let longestDip = 15
    /// The readings of a session that count: in a charge they are half a minute apart.
    private static let recentSpan = Duration.seconds(90)
    /// The span of the readings whose median is the present voltage.
    private static let presentSpan = Duration.seconds(10)
    /// The age of the voltage from which any reading replaces it.
    private static let longestWait = Duration.seconds(60)
    private static let recentLimit = 48
    /// The number of medians from which the level is taken.
    private static let levelLength = 8
    /// The time for which the voltage falls by itself after the engine has stopped.
    private static let relaxation = Duration.seconds(1800)
    /// The number of successive medians after which a battery counts as low, or as charged again.
    private static let lowCount = 3
    /// The volts above the limit at which the bus may be used again, and at which the battery is no longer low.
    private static let recovery = 0.2
    private static let rearming = 0.3
    /// The smallest difference between running and resting, in volts, with which the voltage shows the ignition.
    private static let ignitionStep = 0.5
    /// The voltages from which an alternator or a DC-DC converter carries the load, and below which the battery does.
    private static let converter = 13.2
    private static let battery = 13.0
    /// The number of hourly levels in the trend, and the time that they must span.
    private static let trendLength = 72
    private static let trendSpan = Duration.seconds(6 * 3600)

    private let offset: Double
    private let limit: Double
    /// The medians of the last readings of the resting vehicle.
    private var levels: [Double] = []
    /// Whether the level is a single reading.
    private var isProvisional = false
    /// The last readings of a session, and those with a running engine.
    private var recent: [(volts: Double, time: MonotonicTime)] = []
    private var running: [(volts: Double, time: MonotonicTime)] = []
    private var restingSince: MonotonicTime?
    private var hourly: [(volts: Double, time: MonotonicTime)] = []
    /// Whether the voltage of a session has been that of a converter.
    private var hasShownConverter = false
    /// The number of successive medians that contradict `isLow`.
    private var contradictionCount = 0
    /// The number of dips since the starter began to turn.
    private var dipCount = 0

    /// The newest voltage, in volts, with the time of its last reading; nil before the first one.
    ///
    /// The readings of a resting vehicle whose starter turns are left out: they are in ``cranking``.
    package private(set) var measurement: (volts: Double, time: MonotonicTime)?
    /// The lowest voltage of the last start of the engine, in volts, with the time of that start.
    package private(set) var cranking: (volts: Double, time: MonotonicTime)?
    /// Whether the battery of the resting vehicle is low, with hysteresis.
    package private(set) var isLow = false
    /// Whether the voltage is too low to use the bus.
    package private(set) var forbidsBus = false
    /// Whether the voltage of this vehicle has shown whether the engine runs.
    package private(set) var showsIgnition = false

    package init(_ policy: ParkingPolicy) {
        self.offset = policy.voltageOffset
        self.limit = policy.minimumVoltage
    }

    /// The newest voltage, in volts: the median of readings in a row.
    package var voltage: Double? { self.measurement?.volts }

    /// The resting level, in volts; nil before the first reading.
    package var resting: Double? { self.levels.median }

    /// The change of the resting level, in volts a day; nil while it is not known.
    package var trend: Double? {
        guard let first = self.hourly.first, let last = self.hourly.last, last.time - first.time >= Self.trendSpan
        else { return nil }
        return (last.volts - first.volts) / (last.time - first.time).seconds * 86_400
    }

    /// Whether an alternator or a DC-DC converter carries the load; nil if the voltage does not tell.
    ///
    /// Some adapters always report the same low voltage. So a low one tells only after a high one.
    package var showsConverter: Bool? {
        guard let voltage else { return nil }
        if voltage >= Self.converter { return true }
        return self.hasShownConverter ? voltage >= Self.battery : nil
    }

    // MARK: - In a session

    /// Takes over a voltage reading of a session.
    package mutating func voltageRead(_ reading: Double, isRunning: Bool, at now: MonotonicTime) {
        let volts = reading + self.offset
        let before = self.recent.suffix(Self.recentLimit - 1).filter { now - $0.time <= Self.recentSpan }
        self.recent = before + [(volts, now)]
        if let present = self.presentVoltage(after: before.last?.volts, at: now) {
            self.measurement = (present, now)
            if present >= Self.converter { self.hasShownConverter = true }
        }
        if isRunning {
            // Of each row only the first counts: the engine may have stopped right before the row.
            if self.running.last.map({ now - $0.time >= Self.presentSpan }) ?? true {
                self.running = self.running.suffix(4) + [(volts, now)]
            }
            self.forbidsBus = false
        } else if self.recent.count >= 3, let first = self.recent.first, now - first.time >= .seconds(20) {
            // A starter does not turn for 20 s.
            self.judge(self.recent.map(\.volts).median ?? volts)
        }
        self.levels = []
        self.hourly = []
    }

    /// Returns the present voltage: the median of the last readings in a row, or a single one with a second witness.
    ///
    /// A single reading may be wrong. It counts if it agrees with the last voltage, or with the reading before it.
    private func presentVoltage(after before: Double?, at now: MonotonicTime) -> Double? {
        let present = self.recent.suffix(Self.readingCount).filter { now - $0.time < Self.presentSpan }.map(\.volts)
        guard present.count < Self.readingCount, let measurement, now - measurement.time < Self.longestWait else {
            return present.median
        }
        guard let newest = present.last else { return nil }
        return [measurement.volts, before].contains { $0.map { abs(newest - $0) < Self.dip } ?? false } ? newest : nil
    }

    /// Takes over the voltage reading of the adapter's start-up.
    package mutating func connectionVoltageRead(_ reading: Double, at now: MonotonicTime) {
        self.measurement = (reading + self.offset, now)
    }

    /// Takes the lowest cranking voltage from the last readings, because the engine has started.
    ///
    /// The readings from before the start say nothing about the present voltage.
    package mutating func engineStarted() {
        let before = self.recent.suffix(5)
        self.recent = []
        self.running = []
        self.forbidsBus = false
        guard let lowest = before.min(by: { $0.volts < $1.volts }), let level = before.map(\.volts).max(),
            lowest.volts <= level - Self.dip / 2
        else { return }
        self.cranking = lowest
    }

    /// Whether `reading` differs from the level of the running engine; nil if there is no such level.
    package func hasLeftRunning(_ reading: Double?) -> Bool? {
        guard let reading, let running = self.running.map(\.volts).median else { return nil }
        return abs(reading + self.offset - running) >= Self.change
    }

    /// Judges the voltage reading right before the bus is used.
    ///
    /// - Returns: whether the voltage is too low to use the bus.
    package mutating func startVoltageRead(_ reading: Double) -> Bool {
        self.judge(reading + self.offset)
        return self.forbidsBus
    }

    // MARK: - While the vehicle rests

    package enum RestingAction: Hashable, Sendable {
        case steady
        /// More readings are needed.
        case readMore
        /// The starter may be turning.
        case dipped
        /// The level has changed in a way that looks like ignition.
        case changed
    }

    /// Judges several voltage readings of a resting vehicle in a row.
    package mutating func restingVoltageRead(_ readings: [Double], at now: MonotonicTime) -> RestingAction {
        let volts = readings.map { $0 + self.offset }
        guard let median = volts.median, let lowest = volts.min() else { return .steady }
        let since = self.restingSince ?? now
        self.restingSince = since
        guard let level = self.levels.median else {
            self.measurement = (median, now)
            self.isProvisional = false
            self.rest(at: median, now)
            return .steady
        }
        if lowest <= level - Self.dip, !self.isProvisional, self.dipCount < Self.longestDip {
            self.cranking = (self.dipCount == 0 ? lowest : min(lowest, self.cranking?.volts ?? lowest), now)
            self.dipCount += 1
            return .dipped
        }
        self.dipCount = 0
        self.measurement = (median, now)
        let difference = median - level
        if abs(difference) >= Self.doubt, readings.count < Self.readingCountInDoubt { return .readMore }
        let change = self.isProvisional ? Self.provisionalChange : Self.change
        if self.isProvisional { (self.levels, self.isProvisional) = ([], false) }
        guard abs(difference) >= change else {
            self.rest(at: median, now)
            return .steady
        }
        self.levels = []
        self.rest(at: median, now)
        // After the engine has stopped, the voltage falls by itself.
        return difference > 0 || now - since >= Self.relaxation ? .changed : .steady
    }

    private mutating func rest(at volts: Double, _ now: MonotonicTime) {
        self.levels = self.levels.suffix(Self.levelLength - 1) + [volts]
        self.judge(volts)
        self.countLow(volts)
        if self.levels.count >= 3, let running = self.running.map(\.volts).median, let level = self.levels.median {
            self.showsIgnition = self.showsIgnition || abs(running - level) >= Self.ignitionStep
        }
        if self.hourly.last.map({ now - $0.time >= .seconds(3600) })
            ?? (now - (self.restingSince ?? now) >= Self.relaxation)
        {
            self.hourly = self.hourly.suffix(Self.trendLength - 1) + [(self.levels.median ?? volts, now)]
        }
    }

    /// Begins the rest of the vehicle.
    ///
    /// Until the next reading the resting level is the last voltage.
    package mutating func beginRest() {
        self.levels = self.voltage.map { [$0] } ?? []
        self.isProvisional = true
    }

    /// Forgets the resting level at the begin or end of a session, because the vehicle does not rest yet.
    package mutating func endRest() {
        self.levels = []
        self.recent = []
        self.hourly = []
        self.restingSince = nil
        self.contradictionCount = 0
    }

    private mutating func judge(_ volts: Double) {
        self.forbidsBus = volts < self.limit + (self.forbidsBus ? Self.recovery : 0)
    }

    private mutating func countLow(_ volts: Double) {
        let contradicts = self.isLow ? volts >= self.limit + Self.rearming : volts < self.limit
        self.contradictionCount = contradicts ? self.contradictionCount + 1 : 0
        guard self.contradictionCount >= Self.lowCount else { return }
        self.isLow.toggle()
        self.contradictionCount = 0
    }
}

extension [Double] {
    /// The middle element, or the lower of the two in the middle; nil if empty.
    fileprivate var median: Double? {
        self.isEmpty ? nil : self.sorted()[(self.count - 1) / 2]
    }
}
