// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// How many commands there may be, so that nobody can keep the disk busy, or everybody else from being heard.
///
/// Who signs has a share of everything that nobody else can use up.
struct CommandLimits: Sendable {
    private var signed: TokenBucket
    private var unsigned: TokenBucket
    private var repeats: TokenBucket
    private var complaints: TokenBucket
    private var signedComplaints: TokenBucket

    init(at now: MonotonicTime) {
        self.signed = TokenBucket(capacity: 2000, interval: .seconds(20), at: now)
        self.unsigned = TokenBucket(capacity: 300, interval: .seconds(40), at: now)
        self.repeats = TokenBucket(capacity: 20, interval: .seconds(1), at: now)
        self.complaints = TokenBucket(capacity: 5, interval: .seconds(1), at: now)
        self.signedComplaints = TokenBucket(capacity: 50, interval: .seconds(1), at: now)
    }

    /// Whether a command that nobody has seen yet may be looked at.
    mutating func mayCome(_ command: Command, at now: MonotonicTime) -> Bool {
        command.signer == nil ? self.unsigned.take(at: now) != nil : self.signed.take(at: now) != nil
    }

    /// Whether a command that comes again may be answered again.
    mutating func mayRepeat(at now: MonotonicTime) -> Bool { self.repeats.take(at: now) != nil }

    /// Whether it may be said that something was no command; if so, how many were not said before it.
    ///
    /// - Parameter isSigned: whether somebody who is trusted has signed it.
    mutating func mayComplain(isSigned: Bool, at now: MonotonicTime) -> Int? {
        isSigned ? self.signedComplaints.take(at: now) : self.complaints.take(at: now)
    }
}
