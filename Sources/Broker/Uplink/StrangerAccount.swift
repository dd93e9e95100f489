// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The bytes that answers may take which anybody can cause who may publish a command.
///
/// Those are answers to messages without a trusted signature, and to commands that come again: who may read them can
/// send them again. The account is apart from ``DailyBudget``, so that no telemetry pays for strangers.
struct StrangerAccount: Sendable {
    /// The most bytes at once, and how many more in each second.
    static let burst = 40 * 1024
    static let rate = 160
    /// The bytes of a day: a tenth of the data budget, within these; where there is none, the greatest.
    static let dayRange = (64 << 10)...(4 << 20)
    /// The part of the bytes at once that only answers to signed commands may use.
    static let signedPart = 0.3
    /// The room that another command needs, for what is said of it at least.
    static let commandRoom = 4 * 1024

    private var minute: Allowance
    private var day: Allowance

    /// - Parameter dailyBudget: the bytes that may go out in a day; nil: any number.
    init(dailyBudget: Int?, at now: MonotonicTime) {
        let day = dailyBudget.map { min(max($0 / 10, Self.dayRange.lowerBound), Self.dayRange.upperBound) }
        self.minute = Allowance(capacity: Self.burst, each: .milliseconds(Self.burst * 1000 / Self.rate), at: now)
        // Half of it at once, and the other half in the course of 24 hours.
        self.day = Allowance(capacity: (day ?? Self.dayRange.upperBound) / 2, each: .seconds(24 * 3600), at: now)
    }

    /// Whether there is room for the answers to another unsigned command.
    mutating func hasRoom(at now: MonotonicTime) -> Bool { self.room(isSigned: false, at: now) >= Self.commandRoom }

    /// Takes an answer of so many bytes to the account, if it has room for it.
    ///
    /// - Parameter isSigned: whether it answers a signed command.
    mutating func pay(_ bytes: Int, isSigned: Bool, at now: MonotonicTime) -> Bool {
        guard self.room(isSigned: isSigned, at: now) >= bytes else { return false }
        self.owe(bytes)
        return true
    }

    private mutating func room(isSigned: Bool, at now: MonotonicTime) -> Int {
        let kept = isSigned ? 0 : Self.signedPart
        return min(self.minute.room(keeping: kept, at: now), self.day.room(keeping: kept, at: now))
    }

    /// Takes an answer to the account that is sent in any case: later ones wait until that is paid.
    mutating func owe(_ bytes: Int) {
        self.minute.take(bytes)
        self.day.take(bytes)
    }
}

/// Bytes that grow back evenly.
private struct Allowance: Sendable {
    private let capacity: Int
    private let period: Duration
    /// Below zero where more was taken than there was.
    private var left: Int
    private var grown: MonotonicTime

    /// - Parameters:
    ///   - capacity: the most bytes at once.
    ///   - period: the time in which as many grow back.
    init(capacity: Int, each period: Duration, at now: MonotonicTime) {
        (self.capacity, self.period, self.left, self.grown) = (capacity, period, capacity, now)
    }

    /// The bytes that may be taken.
    ///
    /// - Parameter part: the part of the capacity that is left alone.
    mutating func room(keeping part: Double, at now: MonotonicTime) -> Int {
        let growth = Int((now - self.grown) / self.period * Double(self.capacity))
        // What is less than a byte grows on.
        if growth > 0 { (self.left, self.grown) = (min(self.capacity, self.left + growth), now) }
        return self.left - Int(part * Double(self.capacity))
    }

    mutating func take(_ bytes: Int) { self.left -= bytes }
}
