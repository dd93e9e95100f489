// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

extension GapWatch {
    /// The longest pause that an agent can ask for.
    private static let pauseLimit = 24 * 3600
    /// The time that an agent takes to send a record again.
    private static let recordTime = Duration.milliseconds(300)

    private static let day = Duration.seconds(24 * 3600)

    /// A response to a command arrived on a vehicle's topics, perhaps one to another sender.
    package mutating func responseReceived(
        _ response: CommandResponse,
        _ report: ResendReport?,
        from vehicle: String,
        at now: MonotonicTime,
        _ date: Timestamp
    ) -> [Action] {
        guard response.state.isFinal, var state = self.agents[vehicle], let request = state.request,
            request.id == response.id
        else { return [] }
        state.request = nil
        guard response.state == .succeeded else {
            state.failures = min(state.failures + 1, 30)
            state.pausedUntil = max(state.pausedUntil, now + self.pause(after: response, state.failures))
            self.agents[vehicle] = state
            return self.end(request, at: now, date) + self.requests(at: now, date)
        }
        state.failures = 0
        // The records come before the answer to another request.
        let records = report?.records ?? 0
        state.pausedUntil = max(state.pausedUntil, now + .seconds(2) + Self.recordTime * records)
        self.agents[vehicle] = state
        var actions: [Action] = []
        if records > 0 {
            self.claims[request.key]?.asks = 0
            actions.append(.change(StreamChange(request.key, .promised)))
        }
        // An agent that has nothing from a number on has nothing of the later ranges either.
        let hasMore = report.map { $0.to >= $0.from } ?? false
        if hasMore, case .asking(let ranges) = self.claims[request.key]?.step, !ranges.isEmpty {
            let pause = state.pausedUntil - now + self.limits.claim
            self.claims[request.key]?.expires = now + pause
            actions.append(.change(StreamChange(request.key, .released(next: date + pause))))
        } else {
            actions += self.end(request, at: now, date)
        }
        return actions + self.requests(at: now, date)
    }

    /// Publishes the next request of each agent that can take one.
    mutating func requests(at now: MonotonicTime, _ date: Timestamp) -> [Action] {
        var actions: [Action] = []
        var room = self.limits.requests - self.requestsInFlight
        // Old records first: the earliest epoch of a stream.
        for key in self.claims.keys.sorted() where room > 0 {
            guard var claim = self.claims[key], case .asking(var ranges) = claim.step, let range = ranges.first,
                let vehicle = self.target(of: key)
            else { continue }
            var agent = self.agents[vehicle] ?? Agent()
            guard agent.request == nil, now >= agent.pausedUntil else { continue }
            if now >= agent.dayEnd { (agent.requestsOfDay, agent.dayEnd) = (0, now + Self.day) }
            agent.requestsOfDay += 1
            // The last request of the day; the next one comes the day after.
            if agent.requestsOfDay >= self.limits.requestsOfDay { agent.pausedUntil = agent.dayEnd }
            ranges.removeFirst()
            claim.step = .asking(ranges)
            claim.expires = now + self.limits.claim
            claim.asked = vehicle
            self.claims[key] = claim
            let request = ResendRequest(id: self.newID(), vehicle: vehicle, key: key, range: range)
            agent.request = request
            agent.deadline = now + self.limits.answer
            self.agents[vehicle] = agent
            room -= 1
            actions += [
                .change(StreamChange(key, .asked(next: date + self.limits.claim))), .publish(request),
            ]
        }
        return actions
    }

    /// Gives up the requests that have got no answer.
    mutating func endRequests(at now: MonotonicTime, _ date: Timestamp) -> [Action] {
        var actions: [Action] = []
        for (name, state) in self.agents.sorted(by: { $0.key < $1.key }) {
            guard let request = state.request else {
                // The rest is forgotten once it has no effect any more.
                if now >= max(state.pausedUntil + self.limits.longestWait, state.dayEnd) { self.agents[name] = nil }
                continue
            }
            guard now >= state.deadline else { continue }
            var state = state
            state.request = nil
            state.failures = min(state.failures + 1, 30)
            state.pausedUntil = max(state.pausedUntil, now + self.wait(after: state.failures))
            self.agents[name] = state
            actions += self.end(request, at: now, date)
        }
        return actions
    }

    /// Ends a claim; the next one of the stream comes after a pause.
    private mutating func end(_ request: ResendRequest, at now: MonotonicTime, _ date: Timestamp) -> [Action] {
        guard let claim = self.claims.removeValue(forKey: request.key) else { return [] }
        let pause = max((self.agents[request.vehicle]?.pausedUntil ?? now) - now, self.wait(after: claim.asks + 1))
        return [.change(StreamChange(request.key, .released(next: date + pause)))]
    }

    private func pause(after response: CommandResponse, _ failures: Int) -> Duration {
        switch response.reason {
        case .unknownCommand, .notAllowed, .roleInsufficient, .unsigned, .badSignature, .badArguments:
            // A human must change something first.
            Self.jittered(self.limits.longestWait)
        default:
            // The agent knows best; the jitter keeps collectors and streams apart.
            response.retryAfter.map { seconds in
                .seconds(min(max(seconds, 1), Self.pauseLimit)) + Self.jittered(.seconds(10))
            } ?? self.wait(after: failures)
        }
    }

    /// Returns the wait after a number of failures in a row, which doubles with each.
    private func wait(after failures: Int) -> Duration {
        Self.jittered(min(self.limits.longestWait, self.limits.firstWait * (1 << max(0, min(failures - 1, 20)))))
    }

    static func jittered(_ duration: Duration) -> Duration { duration * Double.random(in: 0.5...1) }
}
