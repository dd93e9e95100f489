// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The payload of `status`.
package struct AgentStatus: Encodable, Hashable, Sendable {
    package var v = 1
    /// The agent's identity, the same for as long as the machine is.
    package var agent: String
    package var version: String
    package var time: Timestamp
    /// Whether the vehicle is an invented one.
    package var simulated: Bool
    /// Whether the vehicle of these topics is known to be the one that the adapter is plugged into.
    package var vehicleConfirmed: Bool
    package var adapter: Adapter
    package var link: Link
    /// Why the link is not connected, in a sentence.
    package var problem: String?
    /// The bus protocol, while connected: `ISO 15765-4 (CAN 11/500)`.
    package var `protocol`: String?
    package var clock: ClockQuality
    package var outbox: Outbox
    /// What was thrown away since the agent was started, because it was damaged or answered something else.
    package var dropped: Dropped

    package enum CodingKeys: String, CodingKey {
        case v, agent, version, time, simulated, adapter, link, problem, `protocol`, clock, outbox, dropped
        case vehicleConfirmed = "vehicle_confirmed"
    }

    package struct Adapter: Encodable, Hashable, Sendable {
        package var address: String
        package var identity: String?
        /// The 12 V supply as the adapter reads it, in volts.
        package var voltage: Double?
        /// The strength of the adapter's radio signal, in dBm.
        package var rssi: Int?

        package init(address: String, identity: String? = nil, voltage: Double? = nil, rssi: Int? = nil) {
            self.address = address
            self.identity = identity
            self.voltage = voltage
            self.rssi = rssi
        }
    }

    package enum Link: String, CaseIterable, Encodable, Hashable, Sendable {
        /// On the way to the adapter.
        case connecting
        /// The adapter answers; a vehicle is looked for.
        case searching
        /// A vehicle answers.
        case connected
        /// Between two attempts.
        case waiting
    }

    package struct Outbox: Encodable, Hashable, Sendable {
        /// How many records the broker has not acknowledged.
        package var records: Int
        /// How many had to be thrown away since the agent was started.
        package var dropped: Int

        package init(records: Int, dropped: Int) {
            self.records = records
            self.dropped = dropped
        }
    }

    package struct Dropped: Encodable, Hashable, Sendable {
        /// Lines and messages of the adapter.
        package var replies: Int
        /// Messages on the command topic that were no commands.
        package var commands: Int

        package init(replies: Int, commands: Int) {
            self.replies = replies
            self.commands = commands
        }
    }

    package init(
        agent: String,
        version: String,
        time: Timestamp,
        simulated: Bool,
        vehicleConfirmed: Bool,
        adapter: Adapter,
        link: Link,
        problem: String?,
        protocol: String?,
        clock: ClockQuality,
        outbox: Outbox,
        dropped: Dropped
    ) {
        self.agent = agent
        self.version = version
        self.time = time
        self.simulated = simulated
        self.vehicleConfirmed = vehicleConfirmed
        self.adapter = adapter
        self.link = link
        self.problem = problem
        self.protocol = `protocol`
        self.clock = clock
        self.outbox = outbox
        self.dropped = dropped
    }
}

/// Whether the machine's clock is right.
package enum ClockQuality: String, CaseIterable, Encodable, Hashable, Sendable {
    case synchronised, unsynchronised
}
