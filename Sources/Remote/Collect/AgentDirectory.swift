// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The vehicles and agents that are known at the broker.
struct AgentDirectory: Hashable, Sendable {
    /// The largest number of vehicles; those beyond are not asked for their gaps.
    static let limit = 20_000
    /// The time within which an agent that really moves does not come back to the vehicle that it has left.
    private static let returnTime = Duration.seconds(3600)
    /// The number of such returns in a row after which two agents have one identity.
    private static let returnLimit = 2

    private struct Vehicle: Hashable, Sendable {
        var agent: String?
        var isOnline = false
        /// The newest time at which the agent was heard here.
        var since = Timestamp(milliseconds: 0)
    }

    private struct Agent: Hashable, Sendable {
        /// The vehicles whose topics it has used.
        var vehicles: Set<String> = []
        /// The vehicle where it was heard last, that before, and when it moved.
        var place: String?
        var previous: String?
        var moved = Timestamp(milliseconds: 0)
        /// The number of returns to the previous vehicle in a row.
        var returns = 0
    }

    private var vehicles: [String: Vehicle] = [:]
    private var agents: [String: Agent] = [:]

    /// Whether an agent is connected to the broker.
    var isAnyoneOnline: Bool { self.vehicles.values.contains { $0.isOnline && $0.agent != nil } }

    /// Whether an agent takes commands on the topics of a vehicle.
    func isOnline(_ agent: String, at vehicle: String) -> Bool {
        self.vehicles[vehicle].map { $0.isOnline && $0.agent == agent } ?? false
    }

    /// Returns the topic level of the vehicle under which an agent was heard last and takes commands now; nil while it is
    /// offline.
    func vehicle(of agent: String) -> String? {
        self.agents[agent]?.vehicles
            .compactMap { name in self.vehicles[name].map { (name: name, vehicle: $0) } }
            .filter(\.vehicle.isOnline)
            .max { ($0.vehicle.since, $0.name) < ($1.vehicle.since, $1.name) }?.name
    }

    /// Notes where an agent is.
    ///
    /// - Returns: the agent if it is heard in two vehicles in turn for the first time in a while.
    mutating func presenceChanged(_ presence: AgentPresence) -> SharedAgent? {
        switch presence {
        case .gone(let name): self.remove(name)
        case .availability(let name, let isOnline):
            guard self.isKnownOrFits(name) else { return nil }
            self.vehicles[name, default: Vehicle()].isOnline = isOnline
        case .agent(let name, let agent, let time):
            guard self.isKnownOrFits(name) else { return nil }
            if let old = self.vehicles[name]?.agent, old != agent { self.remove(name, of: old) }
            self.vehicles[name, default: Vehicle()].agent = agent
            self.vehicles[name]?.since = time
            return self.agentSeen(agent, at: name, time)
        }
        return nil
    }

    /// Notes that an agent was seen at a vehicle, and whether it has come back too soon.
    private mutating func agentSeen(_ name: String, at vehicle: String, _ time: Timestamp) -> SharedAgent? {
        var agent = self.agents[name] ?? Agent()
        defer { self.agents[name] = agent }
        agent.vehicles.insert(vehicle)
        guard let place = agent.place, place != vehicle else {
            agent.place = vehicle
            return nil
        }
        // A retained status that is older tells nothing new.
        guard time > self.vehicles[place]?.since ?? time else { return nil }
        let isReturn = agent.previous == vehicle && time - agent.moved < Self.returnTime
        agent.returns = isReturn ? agent.returns + 1 : 0
        (agent.place, agent.previous, agent.moved) = (vehicle, place, time)
        return agent.returns >= Self.returnLimit ? SharedAgent(name, place, vehicle) : nil
    }

    private func isKnownOrFits(_ name: String) -> Bool {
        self.vehicles[name] != nil || self.vehicles.count < Self.limit
    }

    private mutating func remove(_ name: String) {
        guard let vehicle = self.vehicles.removeValue(forKey: name), let agent = vehicle.agent else { return }
        self.remove(name, of: agent)
    }

    private mutating func remove(_ name: String, of agent: String) {
        self.agents[agent]?.vehicles.remove(name)
        if self.agents[agent]?.vehicles.isEmpty == true { self.agents[agent] = nil }
    }
}
