// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import EventLoop

/// The state of the agent that runs as a service, from its health file.
struct RunningAgent: Encodable {
    /// The state of one part.
    struct PartState: Encodable {
        var state: String
        var since: Timestamp?
        /// Whether the part is in order.
        var ok: Bool
        /// Whether the version before had reached it just before it ended, so that this one must.
        var expected: Bool
    }

    let version: String
    /// The version before; nil if no other one ran here.
    let before: String?
    /// Whether this version has reached what the version before had reached.
    let asBefore: Bool
    let broker: PartState
    let adapter: PartState
    let vehicle: PartState
    let store: PartState

    private enum CodingKeys: String, CodingKey {
        case version, before, broker, adapter, vehicle, store
        case asBefore = "as_before"
    }

    init(_ health: AgentHealth) {
        func state(_ part: AgentHealth.Part) -> PartState {
            let state = health.parts[part]
            return PartState(
                state: state?.word ?? "unknown",
                since: state?.since,
                ok: state?.ago == 0,
                expected: health.beforeAgo[part].map { $0 <= health.within } ?? false
            )
        }
        self.version = health.version
        self.before = health.before
        self.asBefore = health.missing.isEmpty
        self.broker = state(.broker)
        self.adapter = state(.adapter)
        self.vehicle = state(.vehicle)
        self.store = state(.store)
    }

    /// The agent that runs now; nil if there is none, or this user may not read its file.
    static var found: RunningAgent? {
        let boot = MachineIdentity().boot
        let now = Int(BootClock().now.sinceBoot.components.seconds)
        return RuntimeDirectory.candidates.lazy
            .compactMap { TextFile.bytes(of: KeptFile.health, in: $0, limit: 4096) }
            .compactMap { AgentHealth(String(decoding: $0, as: UTF8.self)) }
            .first { $0.boot == boot && (0...AgentHealth.maximalAge).contains(now - $0.at) }
            .map { RunningAgent($0) }
    }

    /// The result for the agent as a whole.
    var result: CheckResult {
        let text = "version \(self.version) runs" + (self.before.map { ", after \($0)" } ?? "")
        let missing = AgentHealth.Part.allCases.filter { self.state(of: $0).expected && !self.state(of: $0).ok }
        guard !missing.isEmpty, let before = self.before else { return CheckResult("agent", .ok, text) }
        let list = missing.map(\.rawValue).joined(separator: ", ")
        return CheckResult("agent", .failed, "\(text); \(before) had reached what this has not: \(list)")
    }

    func result(of part: AgentHealth.Part) -> CheckResult {
        let state = self.state(of: part)
        let text = state.state + (state.since.map { " since \($0)" } ?? "")
        return CheckResult(part.rawValue, state.ok ? .ok : state.expected ? .failed : .skipped, text)
    }

    private func state(of part: AgentHealth.Part) -> PartState {
        switch part {
        case .broker: self.broker
        case .adapter: self.adapter
        case .vehicle: self.vehicle
        case .store: self.store
        }
    }
}
