// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// The answer to a request for several PIDs, split by the lengths that each ECU is known to answer.
struct GroupAnswer: Sendable {
    /// One PID's data in one ECU's message.
    struct PIDData: Hashable, Sendable {
        let pid: PID
        let ecu: ECUAddress
        let data: [UInt8]
    }

    /// The values of the ECUs that answered every requested PID and nothing else.
    private(set) var values: [PIDData] = []
    /// The PIDs that an ECU was expected to answer, and did not.
    private(set) var missing: [PID] = []
    /// Whether an unexpected ECU answered.
    private(set) var isStrange = false
    /// The number of messages that do not answer the request.
    private(set) var dropped = 0
    /// The number of PIDs, from the first on, that an ECU answered before it left out the rest; nil if none did so.
    private(set) var taken: Int?

    init(_ result: BusResult, to pids: [PID], _ known: KnownAnswers) {
        var answers: [ECUAddress: ECUReply] = [:]
        if case .answered(let all) = result.outcome { answers = all }
        let ecus = known.ecus(of: pids)
        guard !ecus.isEmpty else {
            self.read(answers, to: pids)
            return
        }
        var missing: Set<PID> = []
        for ecu in ecus.sorted() {
            let expected = known.answered(of: pids, by: ecu)
            let order = pids.filter { expected[$0] != nil }
            // Two messages may be the answers to two requests.
            guard case .positive(let messages) = answers[ecu], messages.count == 1 else {
                if case .positive = answers[ecu] { self.dropped += 1 }
                missing.formUnion(order)
                continue
            }
            if let data = Self.read(messages[0], expected) {
                self.values += order.compactMap { pid in data[pid].map { PIDData(pid: pid, ecu: ecu, data: $0) } }
                continue
            }
            self.dropped += 1
            missing.formUnion(order)
            let taken = (1..<max(1, order.count)).first { count in
                Self.read(messages[0], expected.filter { order.prefix(count).contains($0.key) }) != nil
            }
            if let taken { self.taken = min(self.taken ?? taken, taken) }
        }
        for (ecu, answer) in answers where !ecus.contains(ecu) {
            guard case .positive = answer else { continue }
            self.isStrange = true
            self.dropped += 1
        }
        self.missing = pids.filter(missing.contains)
    }

    /// Reads an answer without known lengths, as in the replay of an old transcript.
    private mutating func read(_ answers: [ECUAddress: ECUReply], to pids: [PID]) {
        for (ecu, answer) in answers.sorted(by: { $0.key < $1.key }) {
            guard case .positive(let messages) = answer else { continue }
            if messages.count == 1,
                let read = try? CurrentData.walk(Array(messages[0].dropFirst()), requested: Set(pids))
            {
                self.values += read.map { PIDData(pid: $0.pid, ecu: ecu, data: $0.data) }
            } else {
                self.dropped += 1
            }
        }
    }

    /// Returns the data of each PID; nil unless the message has each expected PID once, with data of its length.
    private static func read(_ message: [UInt8], _ expected: [PID: Int]) -> [PID: [UInt8]]? {
        guard message.first == Service.currentData.positiveResponse else { return nil }
        var data: [PID: [UInt8]] = [:]
        var rest = message.dropFirst()
        while let byte = rest.popFirst() {
            let pid = PID(rawValue: byte)
            guard let length = expected[pid], rest.count >= length, data[pid] == nil else { return nil }
            data[pid] = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return data.count == expected.count ? data : nil
    }
}
