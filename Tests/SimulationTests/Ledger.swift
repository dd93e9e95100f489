// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import OBD2
import Simulator

/// The values that vehicles have sent, compared with the records that have reached the broker.
final class Ledger: Sendable {
    /// A value that an ECU has put on the bus.
    struct Served: Sendable {
        var time: MonotonicTime
        var value: Double
        /// Whether the value may be missing at the broker, whatever its time.
        var isExempt = false
        var hasArrived = false
    }

    private struct Number: Hashable, Comparable {
        var epoch: Int64
        var seq: Int64

        static func < (left: Number, right: Number) -> Bool { (left.epoch, left.seq) < (right.epoch, right.seq) }
    }

    private struct State: Sendable {
        var served: [String: [Served]] = [:]
        var records: [String: [Number: JSON]] = [:]
        /// The times of the events.
        var dates: [Number: Timestamp] = [:]
        var newest: [String: Number] = [:]
        var repeats = 0
        /// The number of repeated records that have fewer samples than before.
        var shorter = 0
        var samples = 0
        var unsynchronised = 0
        var mistakes: [String] = []
        var exempt: [ClosedRange<MonotonicTime>] = []
        var events: [String] = []
        var clears = 0
    }

    /// The longest time between a value's transmission on the bus and its reading by the agent.
    private static let latency = Duration.milliseconds(1500)

    private let names: Set<String>
    private let interval: Duration
    private let state = Locked(State())

    /// - Parameters:
    ///   - names: the polled parameters.
    ///   - interval: the polling interval of each.
    init(_ names: Set<String>, interval: Duration) {
        self.names = names
        self.interval = interval
    }

    // MARK: - Entries

    /// Enters messages from a vehicle's own log.
    ///
    /// - Parameter vin: the VIN, which is the vehicle's name at the broker.
    func served(_ messages: [LoggedMessage], by vin: String) {
        self.state.withLock { state in
            state.clears += messages.count { $0.bytes.first == 0x44 }
            for message in messages where message.bytes.first == 0x41 {
                let data = Array(message.bytes.dropFirst())
                for (pid, bytes) in (try? CurrentData.walk(data, requested: nil)) ?? [] {
                    guard let values = try? Parameter.withPID(pid)?.decode(bytes) else { continue }
                    for value in values where self.names.contains(value.field.name) {
                        guard case .number(let number) = value.value else { continue }
                        state.served["\(vin)/\(value.field.name)", default: []].append(
                            Served(time: message.time, value: number)
                        )
                    }
                }
            }
        }
    }

    /// Permits that values which the vehicle sends in these times are missing.
    func exempt(_ times: ClosedRange<MonotonicTime>) {
        self.state.withLock { $0.exempt.append(times) }
    }

    /// Permits that the sent values which have not arrived yet are missing.
    func exemptWhatIsMissing() {
        self.state.withLock { state in
            for name in state.served.keys {
                for index in state.served[name, default: []].indices
                where state.served[name]?[index].hasArrived == false { state.served[name]?[index].isExempt = true }
            }
        }
    }

    /// Enters a message that the broker has received.
    func received(_ message: Message) {
        let payload = message.payload
        let levels = message.topic.description.split(separator: "/")
        let level = levels.dropFirst(2).joined(separator: "/")
        guard ["telemetry", "events", "responses"].contains(level) else { return }
        self.state.withLock { state in
            guard let json = try? JSON(parsing: payload, depthLimit: 8), let record = Record(json) else {
                return state.mistakes.append("no record: \(String(decoding: payload.prefix(80), as: UTF8.self))")
            }
            let number = Number(epoch: record.epoch, seq: record.seq)
            if let before = state.records[level]?[number] {
                state.repeats += 1
                if before != record.body {
                    if record.isBeginning(of: before) { return state.shorter += 1 }
                    state.mistakes.append("\(level) \(record.epoch):\(record.seq) has changed")
                }
                return
            }
            state.records[level, default: [:]][number] = record.body
            if level == "events" { state.dates[number] = json["time"].time }
            if let newest = state.newest[level], newest > number {
                state.mistakes.append("\(level) \(record.epoch):\(record.seq) after \(newest.epoch):\(newest.seq)")
            }
            state.newest[level] = number
            if let event = record.event { state.events.append(event) }
            // Values of the adapter itself do not come from the vehicle.
            for sample in record.samples where self.names.contains(sample.name) {
                self.match(sample, "\(levels[1])/\(sample.name)", &state)
            }
        }
    }

    private func match(_ sample: Record.Sample, _ series: String, _ state: inout State) {
        state.samples += 1
        let served = state.served[series] ?? []
        func isIt(_ index: Int) -> Bool {
            !served[index].hasArrived && abs(served[index].value - sample.value) <= sample.scale / 2
        }
        if !sample.isSynchronised { state.unsynchronised += 1 }
        // An unsynchronized date is that of the machine, with one of the errors that the machine can have.
        let errors = sample.isSynchronised ? [0] : WallClock.errors
        let found = errors.lazy.compactMap { error in
            let time = MonotonicTime(sinceBoot: .milliseconds(sample.date - error - WallClock.truth))
            let first = served.partitioningIndex { $0.time >= time - Self.latency }
            return served.indices[first...].prefix { served[$0].time <= time + .milliseconds(1) }.last(where: isIt)
        }
        .first
        guard let found else {
            return state.mistakes.append("\(series) was never \(sample.value) at \(sample.date)")
        }
        state.served[series]?[found].hasArrived = true
    }

    /// The number of messages in which an ECU confirmed that it has cleared its codes.
    var clears: Int { self.state.withLock { $0.clears } }

    /// Returns the records of a stream that have reached the broker, each once, in the order of their numbers.
    func records(_ stream: String) -> [JSON] {
        self.state.withLock { state in
            (state.records[stream] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Returns the events of a kind that have reached the broker, with their times, in the order of their numbers.
    func events(_ kind: String) -> [(date: Timestamp, body: JSON)] {
        self.state.withLock { state in
            (state.records["events"] ?? [:]).sorted { $0.key < $1.key }.compactMap { number, body in
                guard body["event"].string == kind, let date = state.dates[number] else { return nil }
                return (date, body)
            }
        }
    }

    // MARK: - The verdict

    /// Whether a value was sent between two polls, in answer to a trial of the adapter, which is no reading.
    private func isExtra(_ index: Int, _ served: [Served]) -> Bool {
        let others = served[max(0, index - 2)...min(index + 2, served.count - 1)]
        return others.contains { other in
            let distance = other.time - served[index].time
            return other.hasArrived && (distance < .zero ? .zero - distance : distance) * 20 < self.interval * 19
        }
    }

    /// Returns the verdict, and discards everything but the newest numbers; all values must have arrived before.
    func closeBooks() -> Verdict {
        let verdict = self.verdict
        self.state.withLock { $0 = State(newest: $0.newest) }
        return verdict
    }

    struct Verdict: Sendable {
        var served = 0
        var arrived = 0
        /// The values that are missing without permission, with name, value and time.
        var lost: [String] = []
        var mistakes: [String]
        var repeats: Int
        var shorter: Int
        var unsynchronised: Int
        var events: [String]
    }

    var verdict: Verdict {
        self.state.withLock { state in
            var verdict = Verdict(
                mistakes: state.mistakes,
                repeats: state.repeats,
                shorter: state.shorter,
                unsynchronised: state.unsynchronised,
                events: state.events
            )
            for (name, served) in state.served {
                verdict.served += served.count
                verdict.arrived += served.count { $0.hasArrived }
                for (index, one) in served.enumerated() where !one.hasArrived && !one.isExempt {
                    guard !state.exempt.contains(where: { $0.contains(one.time) }) else { continue }
                    guard !self.isExtra(index, served) else { continue }
                    verdict.lost.append("\(name) \(one.value) at \(one.time.sinceBoot)")
                }
            }
            return verdict
        }
    }
}

extension Array {
    /// Returns the first index from which `isBehind` holds; it must hold for all elements after that.
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, self.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
