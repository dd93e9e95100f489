// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2
import Timing

// What the answers to polls mean.
extension SessionStateMachine {
    mutating func polled(_ pid: PID, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        guard let parameter = Parameter.withPID(pid) else { return [] }
        let answer = ErrandAnswer(result, to: .currentData(pid), of: self.identity)
        var samples: [Sample] = []
        var dropped = answer.dropped
        for (ecu, reply) in answer.replies.sorted(by: { $0.key < $1.key }) {
            let data = reply.data
            let take = { samples.append(Sample(value: $0, ecu: ecu, time: now)) }
            guard !parameter.isSentinel(data), (try? parameter.decode(data.span, take)) != nil else {
                dropped += 1
                continue
            }
        }
        self.schedule.answered(.pid(pid), !samples.isEmpty || dropped > 0)
        return (samples.isEmpty ? [] : [.samples(samples)]) + (dropped == 0 ? [] : [.dropped(dropped)])
    }

    mutating func polled(_ pgn: PGN, _ result: BusResult, at now: MonotonicTime) -> [SessionEvent] {
        var samples: [Sample] = []
        var isNews = false
        for (ecu, values) in self.values(of: pgn, result.outcome).sorted(by: { $0.key < $1.key }) {
            if case .news = self.identification.heard(values, from: ecu) { isNews = true }
            samples += values.map { Sample(value: $0, ecu: ecu, time: now) }
        }
        self.schedule.answered(.group(pgn), !samples.isEmpty)
        return (samples.isEmpty ? [] : [.samples(samples)])
            + (isNews && self.isIdentified ? [.identified(self.identity)] : [])
    }

    /// What each ECU told of a parameter group.
    func values(of pgn: PGN, _ outcome: BusOutcome) -> [ECUAddress: [FieldValue]] {
        guard let group = ParameterGroup.withPGN(pgn), case .answered(let answers) = outcome else { return [:] }
        return answers.compactMapValues { answer in
            guard case .positive(let messages) = answer, let message = messages.last else { return nil }
            return group.decode(Array(message.dropFirst(pgn.bytes.count)))
        }
    }

    mutating func polled(
        _ request: CustomRequest,
        _ outcome: BusOutcome,
        at now: MonotonicTime
    ) -> [SessionEvent] {
        let refusals = self.custom.refusals
        let (events, isAnswered) = self.custom.polled(request, self.selection, outcome, at: now)
        self.schedule.answered(.custom(request), isAnswered)
        if self.custom.refusals != refusals { self.applySelection() }
        return events
    }

    /// Whether the adapter asks everybody, as far as the answer to `question` can tell.
    mutating func isSettled(_ question: Question, _ outcome: BusOutcome) -> Bool {
        switch self.custom.heard(question, outcome, of: self.identity.ecus) {
        case .settled: return true
        case .ask:
            if self.urgent.first != .settingsProof { self.urgent.insert(.settingsProof, at: 0) }
            return true
        case .lost: return false
        }
    }
}
