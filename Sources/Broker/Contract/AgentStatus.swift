// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The payload of `status`.
package struct AgentStatus: Encodable, Hashable, Sendable {
    package var v = 1
    /// The agent's identity, which stays the same for the life of the machine.
    package var agent: String
    package var version: String
    package var time: Timestamp
    /// Whether the vehicle is simulated.
    package var simulated: Bool
    /// Whether the adapter is known to be plugged into the vehicle of these topics.
    package var vehicleConfirmed: Bool
    /// The time of the last data from the vehicle; nil if it is unknown.
    package var vehicleSeen: Timestamp?
    /// The topic level that the connected vehicle would have; nil for an expected vehicle.
    package var wrongVehicle: String?
    package var adapter: Adapter
    package var link: Link
    /// The reason why the link is not connected, in a sentence.
    package var problem: String?
    /// The last such reason that is not known to be over; nil without one.
    package var lastProblem: Problem?
    /// The time in seconds within which a live value that is still measured is published again.
    ///
    /// Nil while no live values are published.
    package var liveWithin: Int?
    /// Whether the vehicle is in use; nil until the first contact.
    package var ignition: Ignition?
    /// The facts on which ``ignition`` rests, in the order of their weight.
    package var ignitionEvidence: [String]?
    /// The advice to add a parameter, if these facts are thin.
    package var ignitionAdvice: String?
    /// The requests on the bus since the agent started, by the ``ignition`` at the time.
    package var requests: [String: Int]?
    /// Whether the vehicle is parked, so that the agent keeps off its bus; nil until the first contact.
    package var parked: Bool?
    /// The vehicle's 12 V battery; nil if the adapter does not measure the voltage.
    package var battery: Battery?
    /// The bus protocol, while connected: `ISO 15765-4 (CAN 11/500)`.
    package var `protocol`: String?
    /// The diagnostic protocol of the vehicle's ECUs, while connected.
    package var dialect: String?
    package var clock: ClockQuality
    /// The state of the machine, as far as its kernel reports it.
    package var machine: MachineReport?
    /// The reason for the machine's pending shutdown, in a sentence; nil if none is pending.
    package var shuttingDown: String?
    package var outbox: Outbox
    /// The numbers up to which the broker has acknowledged all records of this epoch.
    package var acknowledged: Acknowledged?
    package var store: Store
    /// The number of bytes sent to the broker today, without TLS.
    package var sentToday: Int
    /// The day's data budget and its state; nil if none is configured.
    package var budget: Budget?
    /// The input dropped since the agent started, because it was damaged or did not match the request.
    package var dropped: Dropped

    package enum CodingKeys: String, CodingKey {
        case v, agent, version, time, simulated, adapter, link, problem, `protocol`, dialect, clock, outbox, store,
            budget, dropped, ignition, requests, parked, battery, machine, acknowledged
        case ignitionEvidence = "ignition_evidence"
        case ignitionAdvice = "ignition_advice"
        case vehicleConfirmed = "vehicle_confirmed"
        case vehicleSeen = "vehicle_seen"
        case wrongVehicle = "wrong_vehicle"
        case lastProblem = "last_problem"
        case liveWithin = "live_within"
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
        /// The adapter's probed capabilities, by name.
        package var capabilities: [String: Capability]?
        /// The CAN controller of the agent's machine that is used in place of an adapter.
        package var can: Controller?

        package init(
            address: String,
            identity: String? = nil,
            voltage: Double? = nil,
            rssi: Int? = nil,
            capabilities: [String: Capability]? = nil,
            can: Controller? = nil
        ) {
            self.address = address
            self.identity = identity
            self.voltage = voltage
            self.rssi = rssi
            self.capabilities = capabilities
            self.can = can
        }
    }

    /// A CAN controller, and its errors since the agent started.
    package struct Controller: Encodable, Hashable, Sendable {
        /// The state by the error counters (ISO 11898-1).
        package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
            case active, warning, passive, stopped, sleeping
            case busOff = "bus_off"
        }

        /// In bits a second; nil for a virtual interface.
        package var bitRate: Int?
        package var state: State?
        package var transmitErrors: Int?
        package var receiveErrors: Int?
        /// The number of errors on the bus that the driver has reported.
        package var errorFrames: Int
        /// The number of times that the controller has left the bus.
        package var busOffs: Int

        package enum CodingKeys: String, CodingKey {
            case state
            case bitRate = "bit_rate"
            case transmitErrors = "transmit_errors"
            case receiveErrors = "receive_errors"
            case errorFrames = "error_frames"
            case busOffs = "bus_offs"
        }

        package init(
            bitRate: Int? = nil,
            state: State? = nil,
            transmitErrors: Int? = nil,
            receiveErrors: Int? = nil,
            errorFrames: Int = 0,
            busOffs: Int = 0
        ) {
            self.bitRate = bitRate
            self.state = state
            self.transmitErrors = transmitErrors
            self.receiveErrors = receiveErrors
            self.errorFrames = errorFrames
            self.busOffs = busOffs
        }
    }

    /// The result of probing one capability of the adapter.
    package enum Capability: String, CaseIterable, Encodable, Hashable, Sendable {
        /// The command had its effect.
        case works
        /// The adapter accepts the command, which has no effect.
        case ignored
        /// The adapter does not know the command.
        case refused
        case notTested = "not_tested"
    }

    package enum Link: String, CaseIterable, Encodable, Hashable, Sendable {
        /// The agent is connecting to the adapter.
        case connecting
        /// The adapter answers, and the agent is looking for a vehicle.
        case searching
        /// A vehicle answers.
        case connected
        /// The agent waits for its next attempt.
        case waiting
    }

    /// A reason why the link was not connected.
    package struct Problem: Encodable, Hashable, Sendable {
        package var text: String
        /// The time at which the link failed for this reason last.
        package var time: Timestamp

        package init(text: String, time: Timestamp) {
            self.text = text
            self.time = time
        }
    }

    package enum Ignition: String, CaseIterable, Encodable, Hashable, Sendable {
        /// The engine runs, the vehicle moves, or its drive is enabled.
        case running
        /// ECUs answer, and nothing shows a drive.
        case on
        /// The traction battery is charged from outside.
        case charging
        /// No ECU answers.
        case off
        case unknown
    }

    package struct Battery: Encodable, Hashable, Sendable {
        /// The voltage as the adapter reads it, in V.
        package var voltage: Double?
        /// The time at which ``voltage`` was measured; nil if it is unknown.
        package var time: Timestamp?
        /// The lowest voltage measured while the starter turned, in V.
        package var lowestCranking: Double?
        /// The voltage of the parked vehicle, in V.
        package var resting: Double?
        /// The change of ``resting``, in V a day.
        package var trend: Double?
        /// Whether the parked vehicle's battery is below the configured limit.
        package var low: Bool

        private enum CodingKeys: String, CodingKey {
            case voltage, time, resting, trend, low
            case lowestCranking = "lowest_cranking"
        }

        package init(
            voltage: Double?,
            time: Timestamp?,
            lowestCranking: Double?,
            resting: Double?,
            trend: Double?,
            low: Bool
        ) {
            self.voltage = voltage
            self.time = time
            self.lowestCranking = lowestCranking
            self.resting = resting
            self.trend = trend
            self.low = low
        }
    }

    package struct Outbox: Encodable, Hashable, Sendable {
        /// The number of records that the broker has not acknowledged.
        package var records: Int
        /// The number of records dropped since the agent started.
        package var dropped: Int
        /// The creation time of the oldest record that waits.
        package var oldest: Timestamp?

        package init(records: Int, dropped: Int, oldest: Timestamp? = nil) {
            self.records = records
            self.dropped = dropped
            self.oldest = oldest
        }
    }

    package struct Acknowledged: Encodable, Hashable, Sendable {
        package var epoch: UInt64
        /// The last number of each stream; 0 if the broker has acknowledged none.
        package var telemetry: UInt64
        package var events: UInt64
        package var responses: UInt64

        package init(epoch: UInt64, _ numbers: [RecordStream: UInt64]) {
            self.epoch = epoch
            self.telemetry = numbers[.telemetry] ?? 0
            self.events = numbers[.events] ?? 0
            self.responses = numbers[.responses] ?? 0
        }
    }

    package struct Store: Encodable, Hashable, Sendable {
        package var state: State
        /// The number of bytes in use in the database.
        package var bytes: Int64?
        /// The reason why the disk does not have all records, in a sentence; nil if it has.
        package var problem: String?

        package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
            /// Records survive a power cut, except for those of the last seconds.
            case disk
            /// Records do not survive a power cut at the moment.
            case memory
        }

        package init(bytes: Int64?, problem: String?) {
            self.state = bytes == nil || problem != nil ? .memory : .disk
            self.bytes = bytes
            self.problem = problem
        }
    }

    package struct Budget: Encodable, Hashable, Sendable {
        /// The number of bytes allowed in a day.
        package var bytes: Int
        package var level: BudgetLevel

        package init(bytes: Int, level: BudgetLevel) {
            self.bytes = bytes
            self.level = level
        }
    }

    package struct Dropped: Encodable, Hashable, Sendable {
        /// The number of dropped lines and messages of the adapter.
        package var replies: Int
        /// The number of messages on the command topic that were not commands.
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
