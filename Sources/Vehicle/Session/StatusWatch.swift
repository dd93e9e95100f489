// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2

/// Watches the answers to PID 01: the MIL, the code count and the readiness of each ECU.
///
/// A list without an ECU whose answer was lost would say that all monitors are complete although that ECU's are not. So
/// PID 01 is requested once more if an ECU is missing, and a list counts only if it has every ECU. An ECU belongs to
/// the list if it has answered before. It also belongs to it if it announces PID 01, until it has refused the request
/// or was silent on ``silenceLimit`` of them.
struct StatusWatch: Sendable {
    /// The interval between two requests.
    static let interval = Duration.seconds(15)
    /// The number of requests after which a silent ECU that has never answered does not belong to the list.
    static let silenceLimit = 6

    /// The readiness of the ECUs on J1939.
    private(set) var readiness = ReadinessWatch()
    /// The time of the last request.
    private var lastRequest: MonotonicTime?
    /// The last answer of each ECU.
    private var known: [ECUAddress: MonitorStatus] = [:]
    /// The last complete list.
    private var complete: [ECUAddress: MonitorStatus]?
    /// The answers to the last request and its repetition; empty if no ECU answered.
    private(set) var latest: [ECUAddress: MonitorStatus] = [:]
    /// Whether an ECU is missing in ``latest``.
    private var isIncomplete = true
    /// Whether the present request repeats one that some ECU did not answer.
    private var isRepeating = false
    /// The number of requests that each ECU has not answered; ``silenceLimit`` if it refuses them.
    private var silences: [ECUAddress: Int] = [:]

    /// The answers to the last request; nil if that of an ECU is missing.
    var latestComplete: [ECUAddress: MonitorStatus]? { self.isIncomplete ? nil : self.latest }

    /// Returns the time of the next request.
    ///
    /// Before the first request the time is one interval from now.
    func nextRequest(at now: MonotonicTime) -> MonotonicTime { (self.lastRequest ?? now) + Self.interval }

    enum AnsweredAction: Hashable, Sendable {
        /// No ECU answered.
        case none
        /// Some ECU is missing, so the request is repeated at once.
        case askAgain
        /// ECUs answered.
        ///
        /// - `news`: the complete list, if it differs from the last one.
        /// - `isChanged`: whether a MIL or a code count has changed.
        case answered(news: [ECUAddress: MonitorStatus]?, isChanged: Bool)
    }

    /// Takes over the answer to a request.
    mutating func answered(
        _ answer: ErrandAnswer,
        from vehicle: VehicleIdentity,
        at now: MonotonicTime
    ) -> AnsweredAction {
        self.lastRequest = now
        let monitors = self.readiness.completing(
            answer.replies.compactMapValues { try? MonitorStatus(data: $0.data) }
        )
        self.latest = self.isRepeating ? self.latest.merging(monitors) { $1 } : monitors
        self.count(answer, vehicle)
        self.isIncomplete = self.latest.isEmpty || !self.missing(in: vehicle).isEmpty
        guard !self.latest.isEmpty else { return .none }
        if self.isIncomplete, !self.isRepeating {
            self.isRepeating = true
            return .askAgain
        }
        self.isRepeating = false
        // The first list shows no change.
        let isChanged =
            !self.known.isEmpty
            && self.latest.contains { ecu, status in
                status.mil != self.known[ecu]?.mil || status.codeCount != self.known[ecu]?.codeCount
            }
        self.known.merge(self.latest) { $1 }
        guard !self.isIncomplete, self.latest != self.complete else {
            return .answered(news: nil, isChanged: isChanged)
        }
        self.complete = self.latest
        return .answered(news: self.latest, isChanged: isChanged)
    }

    /// Takes over the replies to the request for the readiness of the ECUs on J1939.
    ///
    /// - Returns: the complete list, if it differs from the last one.
    mutating func readinessReceived(
        _ replies: [ECUAddress: Reply],
        at now: MonotonicTime
    ) -> [ECUAddress: MonitorStatus]? {
        self.readiness.received(replies, at: now)
        self.latest = self.readiness.completing(self.latest)
        self.known.merge(self.latest) { $1 }
        guard !self.isIncomplete, self.latest != self.complete else { return nil }
        self.complete = self.latest
        return self.latest
    }

    /// Counts the requests that the ECUs did not answer.
    private mutating func count(_ answer: ErrandAnswer, _ vehicle: VehicleIdentity) {
        for ecu in vehicle.ecus.keys {
            switch answer.result(of: ecu) {
            case .silent: self.silences[ecu, default: 0] += 1
            case .notSupported: self.silences[ecu] = Self.silenceLimit
            case .reply, .refused, .unreadable: break
            }
        }
    }

    /// Returns the ECUs that belong to the list, and have not answered.
    private func missing(in vehicle: VehicleIdentity) -> Set<ECUAddress> {
        // On J1939 an ECU without active codes need not send the message.
        guard vehicle.dialect != .j1939 else { return [] }
        let announcing = vehicle.ecus.filter { ecu, known in
            known.supported.contains(0x01) && self.silences[ecu, default: 0] < Self.silenceLimit
        }
        return Set(announcing.keys).union(self.known.keys).subtracting(self.latest.keys)
    }
}
