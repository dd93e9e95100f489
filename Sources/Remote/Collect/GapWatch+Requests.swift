// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

extension GapWatch {
    /// The longest pause that an agent can ask for.
    private static let pauseLimit = 24 * 3600
    /// The time that an agent takes to send a record again.
    private static let recordTime = Duration.milliseconds(300)

    /// A response to a command arrived, perhaps one of another sender.
    package mutating func responseReceived(
        _ response: CommandResponse,
        _ report: ResendReport?,
        from agent: String,
        at now: MonotonicTime,
        _ date: Timestamp
    ) -> [Action] {
        guard response.state.isFinal, var state = self.agents[agent], let request = state.request,
            request.id == response.id
        else { return [] }
        state.request = nil
        guard response.state == .succeeded else {
            state.failures = min(state.failures + 1, 30)
            state.pausedUntil = now + self.pause(after: response, state.failures)
            self.agents[agent] = state
            return self.end(request, at: now, date) + self.requests(at: now, date)
        }
        state.failures = 0
        // The records come before the answer to another request.
        let records = report?.records ?? 0
        state.pausedUntil = now + .seconds(2) + Self.recordTime * records
        self.agents[agent] = state
        if case .asking(let ranges) = self.claims[request.key]?.step, !ranges.isEmpty {
            let pause = state.pausedUntil - now + self.limits.claim
            self.claims[request.key]?.expires = now + pause
            let change = StreamChange(request.key, .released(next: date + pause))
            return [.change(change)] + self.requests(at: now, date)
        }
        return self.end(request, at: now, date) + self.requests(at: now, date)
    }

    /// Publishes the next request of each agent that can take one.
    mutating func requests(at now: MonotonicTime, _ date: Timestamp) -> [Action] {
        var actions: [Action] = []
        var room = self.limits.requests - self.requestsInFlight
        // Old records first: the earliest epoch of a stream.
        for key in self.claims.keys.sorted() where room > 0 {
            guard var claim = self.claims[key], case .asking(var ranges) = claim.step, let range = ranges.first,
                let vehicle = self.directory.vehicle(of: key.agent)
            else { continue }
            var agent = self.agents[key.agent] ?? Agent()
            guard agent.request == nil, now >= agent.pausedUntil else { continue }
            ranges.removeFirst()
            claim.step = .asking(ranges)
            claim.expires = now + self.limits.claim
            self.claims[key] = claim
            let request = ResendRequest(id: self.newID(), vehicle: vehicle, key: key, range: range)
            agent.request = request
            agent.deadline = now + self.limits.answer
            self.agents[key.agent] = agent
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
                if now >= state.pausedUntil + self.limits.longestWait { self.agents[name] = nil }
                continue
            }
            guard now >= state.deadline else { continue }
            var state = state
            state.request = nil
            state.failures = min(state.failures + 1, 30)
            state.pausedUntil = now + self.wait(after: state.failures)
            self.agents[name] = state
            actions += self.end(request, at: now, date)
        }
        return actions
    }

    /// Ends a claim; the next one of the stream comes after a pause.
    private mutating func end(_ request: ResendRequest, at now: MonotonicTime, _ date: Timestamp) -> [Action] {
        guard let claim = self.claims.removeValue(forKey: request.key) else { return [] }
        let pause = max((self.agents[request.key.agent]?.pausedUntil ?? now) - now, self.wait(after: claim.asks + 1))
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

    private static func jittered(_ duration: Duration) -> Duration { duration * Double.random(in: 0.5...1) }
}
