// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327

/// The pace at which one ECU answers the requests to it alone, and the pauses that it needs.
struct ECUPace: Sendable {
    /// The number of requests without any answer after which the ECU is put aside for the drive.
    static let silenceLimit = 3
    /// The pause after a silence, so that an ECU that wakes up late is not put aside.
    static let silencePause = Duration.seconds(10)
    /// The pauses after "busy" or "response pending": they double from the first to the longest.
    static let busyPauses = (first: Duration.seconds(1), longest: Duration.seconds(30))
    /// The negative response codes of an ECU that is not ready to answer (ISO 14229-1, A.1).
    static let busyCodes: Set<UInt8> = [0x21, 0x78]

    /// The mean duration of a request that the adapter was not set up for, with the commands that do so.
    private(set) var arrival: Duration?
    /// The mean duration of a request that follows another one to the same ECU.
    private(set) var stay: Duration?
    /// The earliest time of the next request.
    private(set) var opening = MonotonicTime.zero
    private var busyPause = Self.busyPauses.first
    private var silences = 0
    /// Whether the ECU has answered any request in this drive.
    private var hasAnswered = false

    /// Whether the ECU is put aside, because it has answered no request in this drive.
    var isAside: Bool { !self.hasAnswered && self.silences >= Self.silenceLimit }

    /// Records the duration of a request.
    ///
    /// - Parameter isFirst: whether the adapter had to be set up for the ECU.
    mutating func requestEnded(after time: Duration, isFirst: Bool) {
        if isFirst { self.arrival.smooth(time) } else { self.stay.smooth(time) }
    }

    /// Takes over the outcome of a request.
    ///
    /// - Returns: whether the ECU needs a pause.
    mutating func answered(_ outcome: BusOutcome, at now: MonotonicTime) -> Bool {
        switch outcome {
        case .answered(let answers):
            (self.hasAnswered, self.silences) = (true, 0)
            guard answers.values.allSatisfy(\.isBusy) else {
                self.busyPause = Self.busyPauses.first
                return false
            }
            self.opening = now + self.busyPause
            self.busyPause = min(self.busyPause * 2, Self.busyPauses.longest)
            return true
        case .noData where !self.hasAnswered:
            self.silences += 1
            self.opening = now + Self.silencePause
            return true
        case .noData, .busUnavailable, .unusable, .refused, .withdrawn, .settingsNotRestored, .adapterRestarted,
            .adapterSilent:
            return false
        }
    }

    /// Gives the ECU as much time to itself as its last request took.
    mutating func rest(at now: MonotonicTime) {
        if let stay = self.stay { self.opening = max(self.opening, now + stay) }
    }

    /// Requests the ECU without a pause, even if it was put aside, because another drive begins.
    mutating func driveBegan() { (self.hasAnswered, self.silences, self.opening) = (false, 0, .zero) }
}

extension ECUReply {
    /// Whether the ECU asks the tester to wait.
    var isBusy: Bool { if case .negative(let code) = self { ECUPace.busyCodes.contains(code) } else { false } }
}

extension Duration? {
    /// Adds a measurement to an average of the last ones.
    mutating func smooth(_ time: Duration) {
        self = self.map { $0 + (time - $0) / 4 } ?? time
    }
}
