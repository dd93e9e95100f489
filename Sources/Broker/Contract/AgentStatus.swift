// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

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
    /// When the vehicle has told something last; nil where nobody knows.
    package var vehicleSeen: Timestamp?
    /// What the vehicle at the adapter would be called, where it is none of those that are expected.
    package var wrongVehicle: String?
    package var adapter: Adapter
    package var link: Link
    /// Why the link is not connected, in a sentence.
    package var problem: String?
    /// Whether the vehicle is in use, as far as anybody knows; nil until somebody has looked.
    package var ignition: Ignition?
    /// Whether its bus is left alone; nil until somebody has looked.
    package var parked: Bool?
    /// Its 12 V battery, where the adapter tells the voltage.
    package var battery: Battery?
    /// The bus protocol, while connected: `ISO 15765-4 (CAN 11/500)`.
    package var `protocol`: String?
    /// What the vehicle's ECUs speak, while connected.
    package var dialect: String?
    package var clock: ClockQuality
    /// How the machine is, as far as its kernel tells.
    package var machine: MachineReport?
    /// Why the machine is about to be switched off, in a sentence; nil while it is not.
    package var shuttingDown: String?
    package var outbox: Outbox
    package var store: Store
    /// The bytes that went to the broker today, TLS excluded.
    package var sentToday: Int
    /// What that leaves of the day's budget; nil where there is none.
    package var budget: Budget?
    /// What was thrown away since the agent was started, because it was damaged or answered something else.
    package var dropped: Dropped

    package enum CodingKeys: String, CodingKey {
        case v, agent, version, time, simulated, adapter, link, problem, `protocol`, dialect, clock, outbox, store,
            budget, dropped, ignition, parked, battery, machine
        case vehicleConfirmed = "vehicle_confirmed"
        case vehicleSeen = "vehicle_seen"
        case wrongVehicle = "wrong_vehicle"
        case sentToday = "sent_today"
        case shuttingDown = "shutting_down"
    }

    package struct Adapter: Encodable, Hashable, Sendable {
        package var address: String
        package var identity: String?
        /// The 12 V supply as the adapter reads it, in volts.
        package var voltage: Double?
        /// The strength of the adapter's radio signal, in dBm.
        package var rssi: Int?
        /// What it can do, by name, as far as that is known.
        package var capabilities: [String: Capability]?

        package init(
            address: String,
            identity: String? = nil,
            voltage: Double? = nil,
            rssi: Int? = nil,
            capabilities: [String: Capability]? = nil
        ) {
            self.address = address
            self.identity = identity
            self.voltage = voltage
            self.rssi = rssi
            self.capabilities = capabilities
        }
    }

    /// What was found out about something that adapters can do.
    package enum Capability: String, CaseIterable, Encodable, Hashable, Sendable {
        /// Its effect was seen.
        case works
        /// It is accepted without the effect.
        case ignored
        /// The adapter does not know it.
        case refused
        case notTested = "not_tested"
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

    package enum Ignition: String, CaseIterable, Encodable, Hashable, Sendable {
        /// The engine runs, or the vehicle moves.
        case running
        /// ECUs answer, and nothing turns.
        case on
        /// No ECU answers.
        case off
        case unknown
    }

    package struct Battery: Encodable, Hashable, Sendable {
        /// V, as the adapter reads it.
        package var voltage: Double?
        /// V, the lowest that was seen while the starter turned.
        package var lowestCranking: Double?
        /// V, while the vehicle is parked, and V a day.
        package var resting: Double?
        package var trend: Double?
        /// Whether the parked vehicle's battery is below the configured limit.
        package var low: Bool

        private enum CodingKeys: String, CodingKey {
            case voltage, resting, trend, low
            case lowestCranking = "lowest_cranking"
        }

        package init(voltage: Double?, lowestCranking: Double?, resting: Double?, trend: Double?, low: Bool) {
            self.voltage = voltage
            self.lowestCranking = lowestCranking
            self.resting = resting
            self.trend = trend
            self.low = low
        }
    }

    package struct Outbox: Encodable, Hashable, Sendable {
        /// How many records the broker has not acknowledged.
        package var records: Int
        /// How many had to be thrown away since the agent was started.
        package var dropped: Int
        /// When the oldest of them was born.
        package var oldest: Timestamp?

        package init(records: Int, dropped: Int, oldest: Timestamp? = nil) {
            self.records = records
            self.dropped = dropped
            self.oldest = oldest
        }
    }

    package struct Store: Encodable, Hashable, Sendable {
        package var state: State
        /// The bytes of the database that are in use.
        package var bytes: Int64?
        /// Why it is in memory, or not up to date, in a sentence.
        package var problem: String?

        package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
            /// What is recorded survives a power cut, but for the last seconds.
            case disk
            /// It does not, at the moment.
            case memory
        }

        package init(bytes: Int64?, problem: String?) {
            self.state = bytes == nil || problem != nil ? .memory : .disk
            self.bytes = bytes
            self.problem = problem
        }
    }

    package struct Budget: Encodable, Hashable, Sendable {
        /// The bytes of a day.
        package var bytes: Int
        package var level: BudgetLevel

        package init(bytes: Int, level: BudgetLevel) {
            self.bytes = bytes
            self.level = level
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
        dialect: Dialect?,
        clock: ClockQuality,
        outbox: Outbox,
        store: Store,
        sentToday: Int,
        budget: Budget?,
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
        self.dialect = dialect?.rawValue
        self.clock = clock
        self.outbox = outbox
        self.store = store
        self.sentToday = sentToday
        self.budget = budget
        self.dropped = dropped
    }
}
