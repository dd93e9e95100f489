// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// The results of the two requests for a list of codes in J1979-2: by the functional group and by the state alone.
///
/// Some ECUs answer only one of them. The second is sent if an ECU has not answered the first.
struct CodeGroups: Sendable {
    typealias Results = [ECUAddress: ErrandAnswer.ECUResult]

    /// Whether an ECU has ever reported codes by the group.
    private(set) var areKnown = false
    /// The ECUs that last reported codes by the state alone.
    private(set) var ungrouped: Set<ECUAddress> = []
    /// The replies by the group, while the list is requested by the state alone; nil at any other time.
    private var grouped: Results?

    /// Returns the results of both requests: the reply by the group or, without one, the result by the state alone.
    ///
    /// An ECU whose answer by the group could not be read may have codes, unless it reports them by the state alone.
    func merge(_ results: Results) -> Results {
        results.merging(self.grouped ?? [:]) { result, grouped in
            grouped.isReply || grouped.isFailed && !result.isReply ? grouped : result
        }
    }

    /// Whether the results are by the group, and an ECU may report its codes by the state alone.
    ///
    /// Permanent codes have no request by the state alone.
    func arePartial(_ results: Results, of state: CodeState, _ vehicle: VehicleIdentity) -> Bool {
        guard vehicle.dialect == .j1979Part2, vehicle.knowsGroups, state != .permanent, self.grouped == nil else {
            return false
        }
        return !results.values.allSatisfy(\.isReply)
    }

    /// Keeps the replies and failures by the group, while the list is requested by the state alone.
    mutating func keep(_ results: Results) {
        self.grouped = results.filter { $0.value.isReply || $0.value.isFailed }
    }

    /// Notes how each ECU has reported its codes, and forgets the replies.
    mutating func end(_ results: Results, of state: CodeState, _ vehicle: VehicleIdentity) {
        defer { self.grouped = nil }
        guard vehicle.dialect == .j1979Part2, vehicle.knowsGroups, state != .permanent else { return }
        let replies = Set(results.filter(\.value.isReply).keys)
        let known = self.grouped.map { Set($0.filter(\.value.isReply).keys) } ?? replies
        self.areKnown = self.areKnown || !known.isEmpty
        self.ungrouped = self.ungrouped.union(replies).subtracting(known)
    }

    /// Forgets the replies, because a new reading begins.
    mutating func reset() { self.grouped = nil }
}

extension CodeReading {
    /// Adds what the ECUs of J1979-2 reported about their codes.
    mutating func add(_ replies: [ECUAddress: CodeRecords], of state: CodeState, _ vehicle: VehicleIdentity) {
        for (ecu, reply) in replies {
            for record in reply.records {
                self.records[ecu, default: [:]][record.code] =
                    self.records[ecu]?[record.code].map { $0.merged(with: record) } ?? record
            }
            guard state == .stored, reply.kept.contains(.warningIndicatorRequested) else { continue }
            self.lampRequests[ecu] = reply.records.contains { $0.status.contains(.warningIndicatorRequested) }
        }
        guard state == .stored else { return }
        self.hasUnknownLamp =
            self.monitors.isEmpty && self.lampRequests.isEmpty
            || vehicle.ecus.keys.contains { self.monitors[$0] == nil && self.lampRequests[$0] == nil }
    }
}

extension ErrandAnswer.ECUResult {
    /// Returns the codes of a reply; nil if there is no reply, or if it cannot be read.
    func records(_ vehicle: VehicleIdentity) -> CodeRecords? {
        guard case .reply(let reply) = self else { return nil }
        return try? CodeReply.decode(reply, layout: vehicle.layout, dialect: vehicle.dialect)
    }
}
