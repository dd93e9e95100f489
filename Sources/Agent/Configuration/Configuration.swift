// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Drive
package import OBD2

/// The configuration of an agent as one value.
///
/// ``init(toml:file:overlays:host:sets:)`` reads it from TOML in one step. An empty text in the file counts as not set.
package struct Configuration: Equatable, Sendable {
    /// The table `[vehicle]`.
    package var vehicle: Vehicle
    /// The table `[adapter]`.
    package var adapter: Adapter
    /// The table `[mqtt]`.
    package var mqtt: MQTT
    /// The polled parameters with their intervals, each parameter once.
    package var parameters: [ParameterInterval]
    /// The custom parameters of the tables `[custom.NAME]` in all files and sets, ordered by name.
    package var custom: [CustomParameter]
    /// The derived parameters, and the limits.
    package var computed: Computed
    /// The rules of the tables `[capture.NAME]` and the built-in one, ordered by name.
    package var captures: [CaptureRule]
    /// The folders and archives with the signal sets of models.
    package var catalog: [String]
    /// Whether the agent finds each vehicle's model, and polls the set of that model in ``catalog``.
    package var detectsSets: Bool
    /// The table `[commands]`.
    package var commands: Commands
    /// The table `[clock]`.
    package var clock: Clock
    /// The table `[position]`.
    package var position: Position
    /// The table `[parking]`.
    package var parking: Parking
    /// The table `[power]`.
    package var power: Power
    /// The table `[store]`.
    package var store: Store
    /// The table `[uplink]`.
    package var uplink: Uplink
    /// The table `[trips]`.
    package var trips: Trips
    /// The table `[upgrade]`.
    package var upgrade: Upgrade
    /// The table `[home_assistant]`.
    package var homeAssistant: HomeAssistant

    /// The names of vehicles, and the vehicles to poll.
    package struct Vehicle: Equatable, Sendable {
        /// The vehicle's topic level, at most 128 bytes, or `nil` to derive it by ``identity``.
        package var name: String?
        /// The source of the topic level of a vehicle without a name.
        package var identity: Identity
        /// The topic levels of vehicles, by VIN.
        package var aliases: [VIN: String]
        /// The VINs of the vehicles to poll; if it is empty, the agent polls any vehicle.
        package var expected: Set<VIN>
        /// Facts about the engine that no ECU reports.
        package var engine: EngineFacts

        package init(
            name: String? = nil,
            identity: Identity = .vin,
            aliases: [VIN: String] = [:],
            expected: Set<VIN> = [],
            engine: EngineFacts = EngineFacts()
        ) {
            self.name = name
            self.identity = identity
            self.aliases = aliases
            self.expected = expected
            self.engine = engine
        }

        /// The sources of the topic level of a vehicle without a name.
        package enum Identity: String, CaseIterable, Sendable {
            /// The VIN.
            case vin
            /// The alias, or the hash if the vehicle has no alias; the VIN is not published.
            case alias
            /// A hash of the VIN that only this machine can compute; the VIN is not published.
            case hash
        }
    }

    /// The connection to the adapter and the bus.
    package struct Adapter: Equatable, Sendable {
        /// The address of the adapter.
        package var address: AdapterAddress
        /// The bus protocol.
        package var protocolChoice: ProtocolChoice
        /// The PIN for pairing with a Bluetooth LE adapter: up to six digits.
        package var pin: String?
        /// The file that sets ``pin``.
        var pinFile: String?
        /// The GATT characteristic that notifies, or `nil` to choose it by its properties.
        package var notifyUUID: String?
        /// The GATT characteristic to write to, or `nil` to choose it by its properties.
        package var writeUUID: String?

        package init(
            address: AdapterAddress,
            protocolChoice: ProtocolChoice = .automatic,
            pin: String? = nil,
            notifyUUID: String? = nil,
            writeUUID: String? = nil
        ) {
            self.address = address
            self.protocolChoice = protocolChoice
            self.pin = pin
            self.notifyUUID = notifyUUID
            self.writeUUID = writeUUID
        }
    }

    /// The connection to the broker.
    package struct MQTT: Equatable, Sendable {
        /// The brokers; if one fails, the agent tries the next.
        ///
        /// Without any, the agent connects to none.
        package var servers: [Server]
        /// The user name, if the broker requires one.
        package var username: String?
        /// The absolute path of a file with the password; requires a user name.
        package var passwordFile: String?
        /// The absolute path of the authorities' certificates, or `nil` for those of the system.
        package var caFile: String?
        /// The absolute path of the client's certificate; requires `keyFile`.
        package var certificateFile: String?
        /// The absolute path of the private key for the client's certificate.
        package var keyFile: String?
        /// The prefix of every topic: one or more levels, at most 128 bytes.
        package var topicPrefix: Topic
        /// The units of live values.
        package var units: Units
    }

    /// The units of live values; recorded values are always metric.
    package enum Units: String, CaseIterable, Sendable {
        case metric
        case imperial
    }

    /// A parameter and its poll interval.
    package struct ParameterInterval: Equatable, Sendable {
        package var key: ParameterKey
        /// The time between two readings, 0.05 s to a day, in whole milliseconds.
        package var interval: Duration
    }

    /// The commands that the agent accepts.
    package struct Commands: Equatable, Sendable {
        /// The names of the accepted commands; all others are refused.
        package var allow: Set<String>
        /// Whether `raw_request` may write.
        package var rawWriting: Bool
        /// Whether `clear_codes` may override the check for a running engine.
        package var engineOverride: Bool
        /// The commands with a topic of their own, which any message presses.
        package var buttons: Set<String>
        /// The role of the sender of an unsigned command.
        package var unsignedRole: UnsignedRole
        /// The absolute path of a file with the trusted keys (RFC 7517), or `nil` to accept no signature.
        package var trustedKeys: String?

        /// The roles of the sender of an unsigned command.
        package enum UnsignedRole: String, CaseIterable, Sendable {
            /// May do nothing: all commands must be signed.
            case none
            /// May read.
            case observer
            /// May also select and boost parameters, record findings and clear codes.
            case specialist
        }

        /// The names of all commands.
        package static let known = [
            "describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters",
            "boost", "record_finding", "capture", "resend", "clear_codes", "run_test", "raw_request", "wake",
            "detect_parameters",
        ]

        /// The commands that may have a topic of their own: they read, without arguments.
        package static let knownButtons = ["read_codes", "wake"]

        /// The commands beyond ``defaultAllow`` that may be unsigned.
        static let forUnsigned: Set = ["clear_codes", "wake", "detect_parameters"]

        /// The commands that are accepted by default: those that change nothing in the vehicle.
        package static let defaultAllow: Set = [
            "describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters",
            "boost", "record_finding", "capture", "resend",
        ]
    }

    /// The condition under which the system's time counts as right.
    package struct Clock: Equatable, Sendable {
        /// The source of trust in the time.
        package var trust: Trust

        /// The sources of trust in the time.
        package enum Trust: String, CaseIterable, Sendable {
            /// The kernel's synchronization flag.
            case kernel
            /// The system's clock is trusted without a check.
            case system
            /// The kernel's synchronization flag, or agreement with the time of the satellites.
            case gps
        }
    }

    /// The limits on the use of a parked vehicle's bus and battery.
    package struct Parking: Equatable, Sendable {
        /// The time without a running engine after which a vehicle counts as parked, 30 s to a day.
        package var parkedAfter: Duration
        /// The time between two readings of a parked vehicle's supply voltage, 10 s to an hour.
        package var voltageInterval: Duration
        /// The parameters that are read while the vehicle is charged.
        package var charging: [ParameterKey]
        /// Whether those of a detected set with one of the ``chargingRoles`` are read too, as the file names none.
        package var choosesCharging: Bool
        /// The time between two readings of them, 10 s to an hour.
        package var chargingInterval: Duration
        /// The largest number of probes of the bus in an hour, 0 to 12.
        package var probesPerHour: Int
        /// The largest number of probes of the bus in one period of quiet hours, 0 to 60.
        package var probesPerNight: Int
        /// The quiet hours, or `nil` for none.
        package var quietHours: QuietHours?
        /// The voltage below which no request is sent, or 0 for no limit.
        package var minimumVoltage: Double
        /// The correction that is added to the adapter's voltage readings, in volts.
        package var voltageOffset: Double
        /// Whether the adapter is put to sleep between two voltage readings.
        package var sleepsAdapter: Bool

        /// The roles of the parameters that are read during a charge, if the file does not name them.
        package static let chargingRoles: Set<ParameterRole> = [
            .stateOfCharge, .charging, .pluggedIn, .chargerPower, .chargedEnergy, .range, .tractionBatteryPower,
        ]
    }

    /// The power of the machine.
    package struct Power: Equatable, Sendable {
        /// The time with a parked vehicle after which the machine is shut down, a minute to a week, or `nil` for never.
        package var shutdownAfter: Duration?

        package init(shutdownAfter: Duration? = nil) { self.shutdownAfter = shutdownAfter }
    }

    /// The database on the disk.
    package struct Store: Equatable, Sendable {
        /// The absolute path of a directory, or `nil` for `$STATE_DIRECTORY`, or without that `/var/lib/obd-agent`.
        package var directory: String?
        /// The largest size of the database, in bytes.
        package var limit: Int64
        /// The time between two writes, up to an hour; a power cut loses at most that much of the recording.
        package var batchInterval: Duration
        /// The number of days for which delivered records are kept as the vehicle's recording; 0 keeps none.
        package var keepDays: Int64
    }

    /// The data that is published.
    package struct Uplink: Equatable, Sendable {
        /// The rate of live values.
        package var live: Live
        /// The time that one telemetry batch covers, 1 s to an hour.
        package var batchInterval: Duration
        /// The compression of telemetry.
        package var compression: Compression
        /// The number of bytes that may be sent in a day, or `nil` for no limit.
        package var dailyBudget: Int?

        /// The rates of live values.
        package enum Live: String, CaseIterable, Sendable {
            /// Each value is published when it is read.
            case always
            /// Values are published slowly until a subscriber asks for more.
            case onDemand = "on-demand"
            /// No live values are published.
            case off
        }

        /// The compression of telemetry.
        package enum Compression: String, CaseIterable, Sendable {
            /// Plain JSON.
            case none
            /// JSON compressed with zlib, on a topic of its own.
            case zlib
        }
    }

    /// The announcement of the vehicle to Home Assistant.
    package struct HomeAssistant: Equatable, Sendable {
        /// Whether the vehicle is announced; if not, earlier announcements are withdrawn.
        package var isEnabled: Bool
        /// The prefix of the discovery topics, at most 128 bytes.
        package var prefix: Topic
        /// The form of the announcement.
        package var discovery: Discovery
        /// Whether a button that clears the codes is announced, provided that unsigned commands may clear them.
        package var hasClearButton: Bool
        /// The address of the console, to which the device links; nil without one.
        package var consoleURL: String?

        /// The forms of the announcement.
        package enum Discovery: String, CaseIterable, Sendable {
            /// A single message for the device, which requires Home Assistant 2024.11 or later.
            case device
            /// A message for each entity.
            case component
        }
    }

    /// The valid poll intervals, in seconds.
    static let intervals = 0.05...86_400.0

    /// The folder in which the package `obd-signals` has the signal sets of models.
    package static let defaultCatalog = ["/usr/share/obd-signals"]

    /// The parameters that are polled if the file selects none.
    package static let defaultParameters: [ParameterInterval] = [
        .init(key: 0x04, interval: .seconds(1)),  // engine_load
        .init(key: 0x05, interval: .seconds(10)),  // coolant_temperature
        .init(key: 0x0C, interval: .milliseconds(500)),  // engine_speed
        .init(key: 0x0D, interval: .milliseconds(500)),  // vehicle_speed
        .init(key: 0x0F, interval: .seconds(30)),  // intake_air_temperature
        .init(key: 0x11, interval: .seconds(1)),  // throttle_position
        .init(key: 0x2F, interval: .seconds(60)),  // fuel_level
        .init(key: 0x42, interval: .seconds(30)),  // control_module_voltage
    ]
}
