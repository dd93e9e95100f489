// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The bytes that may be spent on responses which any client that may publish a command can cause.
///
/// These are the responses to messages without a trusted signature, and to repeated commands: anyone who can read a
/// command can send it again. The account is separate from ``DailyBudget``, so that strangers take no bytes from
/// telemetry.
struct StrangerAccount: Sendable {
    /// The largest number of bytes at once.
    static let burst = 40 * 1024
    /// The number of bytes that grow back in a second.
    static let rate = 160
    /// The range of the bytes of a day: a tenth of the data budget, within these bounds; without a budget, the upper
    /// one.
    static let dayRange = (64 << 10)...(4 << 20)
    /// The part of ``burst`` that is reserved for responses to signed commands.
    static let signedPart = 0.3
    /// The bytes that the responses to another command need at least.
    static let commandRoom = 4 * 1024

    private var minute: Allowance
    private var day: Allowance

    /// - Parameter dailyBudget: the bytes that may go out in a day; nil: any number.
    init(dailyBudget: Int?, at now: MonotonicTime) {
        let day = dailyBudget.map { min(max($0 / 10, Self.dayRange.lowerBound), Self.dayRange.upperBound) }
        self.minute = Allowance(capacity: Self.burst, each: .milliseconds(Self.burst * 1000 / Self.rate), at: now)
        // Half of the day's bytes may go at once. The other half grows back within 24 hours.
        self.day = Allowance(capacity: (day ?? Self.dayRange.upperBound) / 2, each: .seconds(24 * 3600), at: now)
    }

    /// Returns whether there is room for the responses to another unsigned command.
    mutating func hasRoom(at now: MonotonicTime) -> Bool { self.room(isSigned: false, at: now) >= Self.commandRoom }

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
    private let capacity: Int
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

    mutating func take(_ bytes: Int) { self.available -= bytes }
}
