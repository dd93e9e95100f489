// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An agent's identity that is heard on the topics of two vehicles at the same time.
package struct SharedAgent: Hashable, Sendable {
    package var agent: String
    /// The topic levels of both vehicles, in order.
    package var vehicles: [String]

    package init(_ agent: String, _ first: String, _ second: String) {
        self.agent = agent
        self.vehicles = [first, second].sorted()
    }

    /// The warning for people.
    package var warning: String {
        """
        The agent \(self.agent) is heard on the topics of \(self.vehicles.joined(separator: " and ")) in turn: a card was \
        cloned, or one of the two forges records. Their records are kept apart. Try: on a cloned card, sudo rm \
        /etc/machine-id && sudo systemd-machine-id-setup && sudo reboot
        """
    }
}

/// The agents whose identity is heard on the topics of two vehicles, each told once.
package struct SharedAgents: Hashable, Sendable {
    /// The largest number; those beyond are not told.
    static let limit = 1000

    private var agents: Set<String> = []

    package init() {}

    package var count: Int { self.agents.count }

    /// Returns whether the agent was not told before.
    package mutating func insert(_ shared: SharedAgent) -> Bool {
        self.agents.count < Self.limit && self.agents.insert(shared.agent).inserted
    }
}
