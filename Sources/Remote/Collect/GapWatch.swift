// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// Decides which missing records are asked for, of which agent, and when.
///
/// The database knows the gaps. Several collectors share it: each claims streams for a time, and asks only for those.
/// A number must be missing at two looks at least 30 s apart, because until then its record may be on its way, perhaps
/// to another collector. Nothing is given up before the agent says that it does not have the records; only responses,
/// which no agent sends again, are lost then.
package struct GapWatch: Sendable {
    /// The times and limits.
    package struct Limits: Hashable, Sendable {
        /// The time between two looks for gaps.
        package var interval = Duration.seconds(10)
        /// The time for which a number must be missing.
        package var settling = Duration.seconds(30)
        /// The time for which a claim holds.
        package var claim = Duration.seconds(120)
        /// The time within which an agent must answer.
        package var answer = Duration.seconds(90)
        /// The largest number of claimed streams.
        package var claims = 1000
        /// The largest number of requests without an answer.
        package var requests = 100
        /// The largest number of requests of a claim.
        package var requestsOfClaim = 20
        /// The largest number of requests to an agent in a day.
        package var requestsOfDay = 400
        /// The first and the longest wait after a request, or an agent, that has failed.
        package var firstWait = Duration.seconds(60)
        package var longestWait = Duration.seconds(6 * 3600)

        package init() {}
    }

    /// The driver's next work.
    package enum Action: Hashable, Sendable {
        /// Claims streams in the database, and passes them to ``GapWatch/streamsClaimed(_:at:)``.
        case claim(limit: Int, until: Timestamp)
        /// Reads streams from the database, and passes them to ``GapWatch/streamsRead(_:at:_:)``.
        case read([StreamKey])
        /// Publishes a command.
        case publish(ResendRequest)
        /// Adds the change to the next batch.
        case change(StreamChange)
    }

    /// A claimed stream.
    struct Claim: Hashable, Sendable {
        /// The numbers that were missing at the first look.
        var holes: NumberSet
        /// Whether only the end of the epoch is unknown.
        var isEndUnknown: Bool
        /// The number of requests before this claim that brought nothing.
        var asks: Int
        var step: Step
        var expires: MonotonicTime
        /// The vehicle to whose topic the last request went.
        var asked: String?

        enum Step: Hashable, Sendable {
            /// Waits until the holes are old enough.
            case settling(MonotonicTime)
            /// Waits for the second look.
            case reading
            /// Has requests left.
            case asking([ResendArguments])
        }
    }

    /// The state of the dialogue with the agent on a vehicle's topics.
    struct Agent: Hashable, Sendable {
        /// The request without an answer.
        var request: ResendRequest?
        var deadline = MonotonicTime.zero
        /// The time before which nothing is asked.
        var pausedUntil = MonotonicTime.zero
        /// The number of failures in a row.
        var failures = 0
        /// The number of requests in the day that ends at a time.
        var requestsOfDay = 0
        var dayEnd = MonotonicTime.zero
    }

    let limits: Limits
    private let run: String
    private var requests = 0
    var directory = AgentDirectory()
    var claims: [StreamKey: Claim] = [:]
    /// The dialogues by the topic level of the vehicle.
    var agents: [String: Agent] = [:]
    private var nextClaim = MonotonicTime.zero

    /// - Parameter run: the beginning of the ids of commands, which no other process has or had.
    package init(run: String, _ limits: Limits = Limits()) {
        self.run = run
        self.limits = limits
    }

    /// The number of requests without an answer.
    package var requestsInFlight: Int { self.agents.values.count { $0.request != nil } }
    /// The number of requests since the start.
    package var requestCount: Int { self.requests }

    /// An agent appeared, or went away.
    ///
    /// - Returns: the agent if it is heard on the topics of two vehicles in turn.
    package mutating func presenceChanged(_ presence: AgentPresence) -> SharedAgent? {
        self.directory.presenceChanged(presence)
    }

    /// The database has claimed streams for this collector.
    ///
    /// - Parameter streams: the rows, joined by those of other vehicles.
    package mutating func streamsClaimed(_ streams: [StreamKey: Received], at now: MonotonicTime) {
        // There may be more than the limit has let through.
        if streams.count >= self.limits.claims / 2 { self.nextClaim = now + .seconds(1) }
        for (key, received) in streams {
            // The claim of an absent agent's stream expires by itself.
            guard key.stream == .responses || self.target(of: key) != nil,
                self.claims.count < self.limits.claims || self.claims[key] != nil
            else { continue }
            let holes = received.holes
            self.claims[key] = Claim(
                // More than its requests can cover is of no use.
                holes: holes.prefix(self.limits.requestsOfClaim),
                isEndUnknown: holes.isEmpty && !received.isEnded,
                asks: received.asks,
                step: .settling(now + self.limits.settling),
                expires: now + self.limits.claim
            )
        }
    }

    /// The database has told the present numbers of claimed streams.
    ///
    /// - Parameter streams: the rows of all vehicles of the streams.
    package mutating func streamsRead(
        _ streams: [StreamKey: Received],
        at now: MonotonicTime,
        _ date: Timestamp
    ) -> [Action] {
        var actions: [Action] = []
        let joined = streams.joined()
        for (key, received) in joined.sorted(by: { $0.key < $1.key }) {
            guard var claim = self.claims[key], claim.step == .reading else { continue }
            let holes = received.holes.intersection(claim.holes)
            guard key.stream != .responses else {
                self.claims[key] = nil
                actions += [
                    .change(StreamChange(key, .lost(holes))), .change(StreamChange(key, .released(next: date))),
                ]
                continue
            }
            let target = self.target(of: key)
            // A number that no agent can give is not asked for.
            var ranges = holes.requests(atMost: self.limits.requestsOfClaim).compactMap { range in
                ResendArguments(key.stream, epoch: key.epoch, from: range.lowerBound, to: range.upperBound)
            }
            if claim.isEndUnknown, !received.isEnded {
                let rest = ResendArguments(key.stream, epoch: key.epoch, from: received.last &+ 1)
                ranges = rest.map { [$0] } ?? []
            }
            var pause = (target.flatMap { self.agents[$0]?.pausedUntil } ?? now) - now
            let isElsewhere = Self.isElsewhere(key, target, streams)
            if isElsewhere { pause = max(pause, Self.jittered(self.limits.longestWait)) }
            if ranges.isEmpty || isElsewhere || pause > self.limits.claim {
                self.claims[key] = nil
                // Without holes the row is not claimed again unless new ones open.
                actions.append(.change(StreamChange(key, .released(next: date + max(.zero, pause)))))
            } else {
                claim.asks = received.asks
                claim.step = .asking(ranges)
                self.claims[key] = claim
            }
        }
        return actions + self.requests(at: now, date)
    }

    /// Whether the holes of a stream are not to be asked for on behalf of its own vehicle.
    ///
    /// The agent is in another vehicle now. If its row there has the same holes, they are asked for with that one; if its
    /// numbers contradict, it is another agent.
    private static func isElsewhere(
        _ key: StreamKey,
        _ target: String?,
        _ streams: [StreamKey: Received]
    ) -> Bool {
        guard let target, target != key.vehicle else { return false }
        var other = key
        other.vehicle = target
        // Joined rows have each other's numbers, so they always seem to contradict.
        guard let here = streams[key], let there = streams[other] else { return false }
        return there.last >= here.last || there.contradicts(here)
    }

    /// Returns the topic level of the vehicle to which a request for a stream goes; nil while its agent is offline.
    ///
    /// The stream's own vehicle gets it as long as its agent is heard there and answers; else the one where the agent
    /// was heard last.
    func target(of key: StreamKey) -> String? {
        let isAtHome = self.directory.isOnline(key.agent, at: key.vehicle)
        if isAtHome, self.agents[key.vehicle].map({ $0.failures == 0 }) ?? true { return key.vehicle }
        return self.directory.vehicle(of: key.agent)
    }

    /// Time has passed; the driver calls this about once a second while it is connected to the broker.
    package mutating func timePassed(at now: MonotonicTime, _ date: Timestamp) -> [Action] {
        var actions = self.endRequests(at: now, date)
        for (key, claim) in self.claims where now >= claim.expires && !self.isAsking(key) { self.claims[key] = nil }
        let settled = self.claims.filter { if case .settling(let time) = $0.value.step { now >= time } else { false } }
        if !settled.isEmpty {
            for key in settled.keys { self.claims[key]?.step = .reading }
            actions.append(.read(settled.keys.sorted()))
        }
        actions += self.requests(at: now, date)
        if now >= self.nextClaim, self.claims.count < self.limits.claims, self.directory.isAnyoneOnline {
            self.nextClaim = now + self.limits.interval
            actions.append(
                .claim(limit: self.limits.claims - self.claims.count, until: date + self.limits.claim)
            )
        }
        return actions
    }

    /// The database was not able to read the streams: they are claimed again later.
    package mutating func readFailed(_ keys: [StreamKey]) {
        for key in keys where self.claims[key]?.step == .reading { self.claims[key] = nil }
    }

    /// Returns a new id of a command.
    mutating func newID() -> String {
        self.requests += 1
        return "\(self.run)-\(self.requests)"
    }

    func isAsking(_ key: StreamKey) -> Bool {
        guard let vehicle = self.claims[key]?.asked else { return false }
        return self.agents[vehicle]?.request?.key == key
    }
}
