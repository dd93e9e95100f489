// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The agent's side of a connection to gpsd: bytes in, reports out, with bounds on both.
///
/// gpsd may be slow, talkative or broken, and the port may belong to another program. Nothing that it sends can use
/// more memory or time than the bounds allow.
package struct GPSDDialogue: Sendable {
    /// The largest length of a line; gpsd's own limit is 10,240 bytes.
    package static let lineLimit = 16_384
    /// The longest time from the connection to the greeting.
    package static let greetingTimeout = Duration.seconds(10)
    /// The silence after which gpsd is asked whether it is still there.
    ///
    /// gpsd sends nothing for hours while no receiver is plugged in.
    package static let quietTime = Duration.seconds(30)
    /// The longest time for the answer to that question.
    package static let answerTimeout = Duration.seconds(10)
    /// The most reports in a burst, and the time for one more: ten receivers with ten reports a second each.
    private static let (burst, interval) = (200, Duration.milliseconds(10))

    /// The request to report everything as JSON, which follows the connection.
    package static let watchRequest = Array(#"?WATCH={"enable":true,"json":true};"#.utf8) + [0x0A]
    /// The question for the receivers, which gpsd answers at once.
    package static let question = Array("?DEVICES;".utf8) + [0x0A]

    /// The lines that were no reports, or came too fast.
    package struct Refusals: Hashable, Sendable {
        /// The lines that are no JSON object with a class, or that are too long.
        package var malformed = 0
        /// The lines beyond the rate.
        package var excess = 0

        package var total: Int { self.malformed + self.excess }
    }

    /// The step that the driver takes when the deadline has passed.
    package enum DeadlineAction: Hashable, Sendable {
        /// Sends the bytes, and goes on.
        case send([UInt8])
        /// Closes the connection.
        case close(GPSDFailure)
    }

    package private(set) var refusals = Refusals()
    /// Whether gpsd has greeted.
    package private(set) var isGreeted = false
    private var line: [UInt8] = []
    /// Whether the rest of the present line is skipped, because it is too long.
    private var skipsLine = false
    private var bucket: TokenBucket
    private var timing = ReceiverTiming()
    /// The time at which silence has its consequence.
    package private(set) var deadline: MonotonicTime
    /// Whether the question is not answered yet.
    private var hasAsked = false

    /// Begins with a connection that was just made.
    package init(at now: MonotonicTime) {
        self.bucket = TokenBucket(capacity: Self.burst, interval: Self.interval, at: now)
        self.deadline = now + Self.greetingTimeout
    }

    /// Takes over bytes.
    ///
    /// - Returns: the reports of the lines that end in them.
    /// - Throws: ``GPSDFailure/notGPSD`` if the first line is no greeting.
    package mutating func received(_ bytes: [UInt8], at now: MonotonicTime) throws(GPSDFailure) -> [GPSDReport] {
        var reports: [GPSDReport] = []
        for byte in bytes {
            guard byte == 0x0A else {
                self.append(byte)
                continue
            }
            if let report = try self.endLine(at: now) { reports.append(report) }
        }
        return reports
    }

    private mutating func append(_ byte: UInt8) {
        guard !self.skipsLine else { return }
        self.line.append(byte)
        guard self.line.count > Self.lineLimit else { return }
        self.skipsLine = true
        self.line = []
    }

    private mutating func endLine(at now: MonotonicTime) throws(GPSDFailure) -> GPSDReport? {
        defer {
            self.line.removeAll(keepingCapacity: true)
            self.skipsLine = false
        }
        if self.line.last == 0x0D { self.line.removeLast() }
        guard self.skipsLine || !self.line.isEmpty else { return nil }
        guard self.bucket.take(at: now) != nil else {
            self.refusals.excess += 1
            return nil
        }
        let report = self.skipsLine ? nil : GPSDReport(self.line, at: now)
        if !self.isGreeted {
            guard case .version = report else { throw .notGPSD }
            self.isGreeted = true
        }
        guard let report else {
            self.refusals.malformed += 1
            return nil
        }
        // Only what can be read is a sign of life.
        (self.hasAsked, self.deadline) = (false, now + Self.quietTime)
        guard case .fix(var fix) = report, let time = fix.receiverTime else { return report }
        fix.time = self.timing.measured(time, receivedAt: now)
        return .fix(fix)
    }

    /// The deadline has passed.
    package mutating func deadlinePassed(at now: MonotonicTime) -> DeadlineAction {
        guard self.isGreeted else { return .close(.noGreeting) }
        guard !self.hasAsked else { return .close(.silent) }
        (self.hasAsked, self.deadline) = (true, now + Self.answerTimeout)
        return .send(Self.question)
    }
}

/// The reason why a connection to gpsd is of no use.
package enum GPSDFailure: Error, Hashable, Sendable {
    /// The peer's first line is no greeting of gpsd.
    case notGPSD
    /// The peer has not greeted in time.
    case noGreeting
    /// gpsd does not answer any more.
    case silent
}

extension GPSDFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notGPSD: "the peer is not gpsd: its first line is no greeting"
        case .noGreeting: "no greeting of gpsd within 10 s"
        case .silent: "gpsd has sent nothing for 40 s, and does not answer"
        }
    }
}
