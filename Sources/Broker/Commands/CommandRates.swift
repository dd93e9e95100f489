// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The rate limits of commands, so that no sender can keep the disk busy or block other senders.
///
/// Signed commands have limits of their own, which unsigned commands cannot use up.
struct CommandRates: Sendable {
    private var signed: TokenBucket
    private var unsigned: TokenBucket
    private var presses: TokenBucket
    private var repeats: TokenBucket
    private var complaints: TokenBucket
    private var signedComplaints: TokenBucket

    init(at now: MonotonicTime) {
        self.signed = TokenBucket(capacity: 2000, interval: .seconds(Self.interval(isSigned: true)), at: now)
        self.unsigned = TokenBucket(capacity: 300, interval: .seconds(Self.interval(isSigned: false)), at: now)
        self.presses = TokenBucket(capacity: 3, interval: .seconds(Self.pressInterval), at: now)
        self.repeats = TokenBucket(capacity: 20, interval: .seconds(1), at: now)
        self.complaints = TokenBucket(capacity: 5, interval: .seconds(1), at: now)
        self.signedComplaints = TokenBucket(capacity: 50, interval: .seconds(1), at: now)
    }

    /// The seconds after which there is a token for one more press.
    static let pressInterval = 20

    /// The seconds after which there is a token for one more command.
    static func interval(isSigned: Bool) -> Int { isSigned ? 20 : 40 }

    /// Takes a token for a new command; returns whether there was one.
    mutating func mayBegin(_ command: Command, at now: MonotonicTime) -> Bool {
        command.signer == nil ? self.unsigned.take(at: now) != nil : self.signed.take(at: now) != nil
    }

    /// Takes a token for a press; returns whether there was one.
    mutating func mayPress(at now: MonotonicTime) -> Bool { self.presses.take(at: now) != nil }

    /// Takes a token for the response to a repeated command; returns whether there was one.
    mutating func mayRepeat(at now: MonotonicTime) -> Bool { self.repeats.take(at: now) != nil }

    /// Takes a token for the response to a message that is not a command.
    ///
    /// - Parameter isSigned: whether the message has a verified signature of a trusted key.
    /// - Returns: the number of such messages without a response since the last one; nil without a token.
    mutating func mayComplain(isSigned: Bool, at now: MonotonicTime) -> Int? {
        isSigned ? self.signedComplaints.take(at: now) : self.complaints.take(at: now)
    }
}
