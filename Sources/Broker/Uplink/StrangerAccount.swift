// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The bytes that may be spent on responses which any client that may publish a command can cause.
///
/// These are the responses to messages without a trusted signature, and to repeated commands: anyone who can read a
/// command can send it again. The account is separate from ``DailyBudget``, so that strangers take no bytes from
/// telemetry.
struct StrangerAccount: Sendable {
    /// The largest number of bytes at once: some ten answers that a person at a desk asks for one after the other.
    static let burst = 128 * 1024
    /// The number of bytes that grow back in a second: an answer of 7 KiB each half a minute.
    static let rate = 512
    /// The range of the bytes of a day: a tenth of the data budget, within these bounds; without a budget, the upper
    /// one.
    static let dayRange = (64 << 10)...(4 << 20)
    /// The part of ``burst`` that is reserved for responses to signed commands.
    static let signedPart = 0.3
    /// The bytes that the responses to another command need: few answers are longer.
    private static let commandRoom = 16 * 1024
    /// The part of the day's bytes that they need at most, where the day has few.
    private static let commandPart = 8

    private var minute: Allowance
    private var day: Allowance

    /// - Parameter dailyBudget: the bytes that may go out in a day; nil: any number.
    init(dailyBudget: Int?, at now: MonotonicTime) {
        let day = dailyBudget.map { min(max($0 / 10, Self.dayRange.lowerBound), Self.dayRange.upperBound) }
        self.minute = Allowance(capacity: Self.burst, each: .milliseconds(Self.burst * 1000 / Self.rate), at: now)
        // Half of the day's bytes may go at once. The other half grows back within 24 hours.
        self.day = Allowance(capacity: (day ?? Self.dayRange.upperBound) / 2, each: .seconds(24 * 3600), at: now)
    }

    /// Returns the seconds after which there is room for the responses to another unsigned command; 0 if there is now.
    mutating func delay(at now: MonotonicTime) -> Int {
        self.delay(of: min(Self.commandRoom, self.day.capacity / Self.commandPart), isSigned: false, at: now) ?? 0
    }

    /// Returns the seconds after which there is room for a response; nil if there will never be.
    mutating func delay(of bytes: Int, isSigned: Bool, at now: MonotonicTime) -> Int? {
        let kept = isSigned ? 0 : Self.signedPart
        guard let short = self.minute.delay(of: bytes, keeping: kept, at: now),
            let long = self.day.delay(of: bytes, keeping: kept, at: now)
        else { return nil }
        let delay = max(short, long).seconds
        return Int(delay.rounded(.up))
    }

    /// Charges a response if there is room for it.
    ///
    /// - Parameter isSigned: whether the command is signed.
    /// - Returns: whether there is room.
    mutating func pay(_ bytes: Int, isSigned: Bool, at now: MonotonicTime) -> Bool {
        guard self.room(isSigned: isSigned, at: now) >= bytes else { return false }
        self.owe(bytes)
        return true
    }

    private mutating func room(isSigned: Bool, at now: MonotonicTime) -> Int {
        let kept = isSigned ? 0 : Self.signedPart
        return min(self.minute.room(keeping: kept, at: now), self.day.room(keeping: kept, at: now))
    }

    /// Charges a response that is sent in any case.
    ///
    /// Later responses wait until these bytes have grown back.
    mutating func owe(_ bytes: Int) {
        self.minute.take(bytes)
        self.day.take(bytes)
    }
}

/// A number of bytes that grow back evenly.
private struct Allowance: Sendable {
    /// The bytes of a response that is a refusal, or that has no result.
    private static let refusalRoom = 1024

    let capacity: Int
    private let period: Duration
    /// The available bytes; negative after more were taken than there were.
    private var available: Int
    private var grownAt: MonotonicTime

    /// - Parameters:
    ///   - capacity: the largest number of bytes at once.
    ///   - period: the time in which `capacity` bytes grow back.
    init(capacity: Int, each period: Duration, at now: MonotonicTime) {
        (self.capacity, self.period, self.available, self.grownAt) = (capacity, period, capacity, now)
    }

    /// Returns the bytes that may be taken.
    ///
    /// - Parameter part: the part of the capacity that is reserved.
    mutating func room(keeping part: Double, at now: MonotonicTime) -> Int {
        let growth = Int((now - self.grownAt) / self.period * Double(self.capacity))
        // The fraction of a byte keeps growing: the time advances only with whole bytes.
        if growth > 0 { (self.available, self.grownAt) = (min(self.capacity, self.available + growth), now) }
        return self.available - Int(part * Double(self.capacity))
    }

    /// Returns the time after which this number of bytes may be taken; nil if it is more than may ever be.
    mutating func delay(of bytes: Int, keeping part: Double, at now: MonotonicTime) -> Duration? {
        let missing = bytes - self.room(keeping: part, at: now)
        guard missing > 0 else { return .zero }
        guard self.available + missing <= self.capacity else { return nil }
        // The response that tells this time takes bytes too.
        return self.period * (missing + Self.refusalRoom) / self.capacity
    }

    mutating func take(_ bytes: Int) { self.available -= bytes }
}
