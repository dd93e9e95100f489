// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The vehicles and agents that are known at the broker.
struct AgentDirectory: Hashable, Sendable {
    /// The largest number of vehicles; those beyond are not asked for their gaps.
    static let limit = 20_000

    private struct Vehicle: Hashable, Sendable {
        var agent: String?
        var isOnline = false
        /// The place of the newest message about the agent among all messages.
        var order = 0
    }

    private var vehicles: [String: Vehicle] = [:]
    /// The vehicles whose topics an agent has used.
    private var topics: [String: Set<String>] = [:]
    private var messages = 0

    /// Whether an agent is connected to the broker.
    var isAnyoneOnline: Bool { self.vehicles.values.contains { $0.isOnline && $0.agent != nil } }

    /// Returns the topic level of the vehicle under which an agent takes commands now; nil while it is offline.
    func vehicle(of agent: String) -> String? {
        self.topics[agent]?
            .filter { self.vehicles[$0]?.isOnline == true }
            .max { (self.vehicles[$0]?.order ?? 0, $0) < (self.vehicles[$1]?.order ?? 0, $1) }
    }

    mutating func presenceChanged(_ presence: AgentPresence) {
        switch presence {
        case .gone(let name): self.remove(name)
        case .availability(let name, let isOnline):
            guard self.isKnownOrFits(name) else { return }
            self.vehicles[name, default: Vehicle()].isOnline = isOnline
        case .agent(let name, let agent):
            guard self.isKnownOrFits(name) else { return }
            self.messages += 1
            if let old = self.vehicles[name]?.agent, old != agent { self.removeTopic(name, of: old) }
            self.vehicles[name, default: Vehicle()].agent = agent
            self.vehicles[name]?.order = self.messages
            self.topics[agent, default: []].insert(name)
        }
    }

    private func isKnownOrFits(_ name: String) -> Bool {
        self.vehicles[name] != nil || self.vehicles.count < Self.limit
    }

    private mutating func remove(_ name: String) {
        guard let vehicle = self.vehicles.removeValue(forKey: name), let agent = vehicle.agent else { return }
        self.removeTopic(name, of: agent)
    }

    private mutating func removeTopic(_ name: String, of agent: String) {
        self.topics[agent]?.remove(name)
        if self.topics[agent]?.isEmpty == true { self.topics[agent] = nil }
    }
}
