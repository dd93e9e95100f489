// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

extension Batch {
    /// Adds a decoded message.
    ///
    /// - Parameters:
    ///   - packet: the packet identifier to acknowledge; nil if there is none.
    ///   - now: the date at which the message was received.
    package mutating func add(_ decoded: MessageDecoder.Decoded, size: Int, packet: UInt16?, at now: Timestamp) {
        if let packet { self.packets.append(packet) }
        self.bytes += size
        if self.receivedAt == nil { self.receivedAt = now }
        switch decoded {
        case .record(let record): self.records.append(record)
        case .state(let state, let changes, _):
            self.states.append(state)
            self.changes += changes
        case .rejected(let rejected): self.rejected.append(rejected)
        case .foreign: break
        }
    }

    /// Whether there is anything to write.
    var hasContent: Bool {
        !self.records.isEmpty || !self.states.isEmpty || !self.changes.isEmpty || !self.rejected.isEmpty
    }

    /// The changes, with those that follow from the records.
    var allChanges: [StreamChange] {
        self.changes
            + self.records.flatMap { record -> [StreamChange] in
                switch record.content {
                case .event(let event):
                    guard case .recordsDropped(let stream, let epoch, let range) = event.detail else { return [] }
                    var key = record.key
                    (key.stream, key.epoch) = (stream, epoch)
                    let lost = StreamChange(key, .lost(NumberSet([range])))
                    // The records that were not dropped can come, and those of the other stream.
                    return ResendArguments.streams.contains(stream) ? [lost] + key.changes(ofEpoch: epoch) : [lost]
                case .response(let response): return response.resend?.changes(after: record.key) ?? []
                case .telemetry: return []
                }
            }
    }

    /// The earlier epochs that the batch tells of, each with its agent.
    ///
    /// The collector asks for such an epoch if it knows a part of it or an even earlier one: nothing before the collector's
    /// first record is fetched.
    var earlierEpochs: [EarlierEpoch] {
        self.records.compactMap { record in
            guard case .event(let event) = record.content, case .started(let epoch) = event.detail,
                epoch < record.key.epoch
            else { return nil }
            return EarlierEpoch(key: record.key, number: epoch)
        }
    }

    /// The newest state of each topic, in the order of vehicle and topic.
    var newestStates: [CollectedState] {
        var newest: [String: [String: CollectedState]] = [:]
        for state in self.states { newest[state.vehicle, default: [:]][state.topic] = state }
        return newest.values.flatMap(\.values).sorted { ($0.vehicle, $0.topic) < ($1.vehicle, $1.topic) }
    }

    /// Both halves of the content; nil if there is only one thing.
    var halves: (Batch, Batch)? {
        let counts = [self.records.count, self.states.count, self.changes.count, self.rejected.count]
        let total = counts.reduce(0, +)
        guard total > 1 else { return nil }
        var (first, second) = (Batch(), Batch())
        var room = total / 2
        func split<Item>(_ items: [Item]) -> (ArraySlice<Item>, ArraySlice<Item>) {
            let count = min(room, items.count)
            room -= count
            return (items.prefix(count), items.dropFirst(count))
        }
        let (records, states) = (split(self.records), split(self.states))
        let (changes, rejected) = (split(self.changes), split(self.rejected))
        (first.records, second.records) = (Array(records.0), Array(records.1))
        (first.states, second.states) = (Array(states.0), Array(states.1))
        (first.changes, second.changes) = (Array(changes.0), Array(changes.1))
        (first.rejected, second.rejected) = (Array(rejected.0), Array(rejected.1))
        return (first, second)
    }

    /// The batch with the only record or state as a rejected message; nil if it has none.
    func rejection(_ reason: String, at now: Timestamp) -> Batch? {
        var batch = Batch()
        if let record = self.records.first {
            let number = RejectedMessage.Number(key: record.key, seq: record.seq)
            batch.rejected = [RejectedMessage(record.message, at: now, reason: reason, number: number)]
            return batch
        }
        guard let state = self.states.first,
            let topic = try? Topic("\(state.vehicle)/\(state.topic)")
        else { return nil }
        batch.rejected = [RejectedMessage(Message(topic: topic, payload: state.body), at: now, reason: reason)]
        return batch
    }
}

/// An epoch that an agent names when it begins another.
struct EarlierEpoch: Hashable, Sendable {
    /// The stream of the event that names it.
    let key: StreamKey
    let number: UInt64

    var agent: String { self.key.agent }

    /// Whether a record shows that the collector knows this epoch or an earlier one.
    func isKnown(by record: CollectedRecord) -> Bool {
        record.key.agent == self.agent && record.key.epoch <= self.number
    }

    /// The facts that make its streams known.
    var changes: [StreamChange] { self.key.changes(ofEpoch: self.number) }
}

extension StreamKey {
    /// Returns the facts that make the streams of an epoch known, so that what is missing is asked for.
    fileprivate func changes(ofEpoch epoch: UInt64) -> [StreamChange] {
        ResendArguments.streams.map { stream in
            var key = self
            (key.stream, key.epoch) = (stream, epoch)
            return StreamChange(key, .exists(0))
        }
    }
}

extension ResendReport {
    /// The facts about the stream; none of an epoch that has not begun, about which the agent cannot know anything.
    ///
    /// - Parameter response: the stream of the response, with the present epoch of the agent.
    func changes(after response: StreamKey) -> [StreamChange] {
        guard self.epoch <= response.epoch else { return [] }
        var key = response
        (key.stream, key.epoch) = (self.stream, self.epoch)
        var changes: [StreamChange] = []
        // The agent does not know what it will send: a number above its last one is not lost yet.
        let missing = NumberSet(self.missing).intersection(NumberSet(self.last > 0 ? [1...self.last] : []))
        if !missing.isEmpty { changes.append(StreamChange(key, .lost(missing))) }
        changes.append(StreamChange(key, self.epoch < response.epoch ? .ended(self.last) : .reaches(self.last)))
        return changes
    }
}
