// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// What the owner of an agent has decided, as one value.
///
/// It is read from TOML in one step, see ``init(toml:file:)``. An empty text in the file counts as not set.
package struct Configuration: Equatable, Sendable {
    /// The table `[vehicle]`.
    package var vehicle: Vehicle
    /// The table `[adapter]`.
    package var adapter: Adapter
    /// The table `[mqtt]`.
    package var mqtt: MQTT
    /// What is read and how often, each once.
    package var parameters: [ParameterInterval]
    /// The parameters of the tables `[custom.NAME]`, in this file and in the sets that it names, by name.
    package var custom: [CustomParameter]
    /// The table `[commands]`.
    package var commands: Commands
    /// The table `[clock]`.
    package var clock: Clock
    /// The table `[parking]`.
    package var parking: Parking
    /// The table `[power]`.
    package var power: Power
    /// The table `[store]`.
    package var store: Store
    /// The table `[uplink]`.
    package var uplink: Uplink
    /// The table `[home_assistant]`.
    package var homeAssistant: HomeAssistant

    /// Which vehicle this is.
    package struct Vehicle: Equatable, Sendable {
        /// The vehicle's topic level, at most 128 bytes; none: what ``identity`` makes of it.
        package var name: String?
        /// What a vehicle without a name is called.
        package var identity: Identity
        /// The topic levels of vehicles, by VIN.
        package var aliases: [VIN: String]
        /// The vehicles that are read, all others are left alone; empty: whatever is at the adapter.
        package var expected: Set<VIN>

        package init(
            name: String? = nil,
            identity: Identity = .vin,
            aliases: [VIN: String] = [:],
            expected: Set<VIN> = []
        ) {
            self.name = name
            self.identity = identity
            self.aliases = aliases
            self.expected = expected
        }

        /// What a vehicle is called where it has no name.
        package enum Identity: String, CaseIterable, Sendable {
            /// Its VIN.
            case vin
            /// Its alias or, where it has none, its hash; the VIN is not published.
            case alias
            /// A hash of its VIN that this machine alone can make; the VIN is not published.
            case hash
        }
    }

    /// How to talk to the vehicle.
    package struct Adapter: Equatable, Sendable {
        /// Where the adapter is.
        package var address: AdapterAddress
        /// The bus to use.
        package var protocolChoice: ProtocolChoice
        /// The PIN of a Bluetooth LE adapter that wants to be paired: up to six digits.
        package var pin: String?
        /// The file that sets ``pin``.
        var pinFile: String?
        /// The GATT characteristics to use, where the choice by what they can do is not the right one.
        package var notifyUUID: String?
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

    /// How to talk to the broker.
    package struct MQTT: Equatable, Sendable {
        /// At least one; the next is tried when one is gone.
        package var servers: [Server]
        /// The user name, if the broker asks for one.
        package var username: String?
        /// The absolute path of a file that holds the password; only with a user name.
        package var passwordFile: String?
        /// The absolute path of the authorities' certificates; none: the system's.
        package var caFile: String?
        /// The absolute path of the client's certificate; always together with `keyFile`.
        package var certificateFile: String?
        /// The absolute path of the private key to that certificate.
        package var keyFile: String?
        /// What every topic begins with, at most 128 bytes, perhaps of several levels.
        package var topicPrefix: Topic
        /// The units of live values.
        package var units: Units
    }

    /// The units of live values; recorded values are always metric.
    package enum Units: String, CaseIterable, Sendable {
        case metric
        case imperial
    }

    /// A parameter and the wanted time between two readings of it, 0.05 s to a day.
    package struct ParameterInterval: Equatable, Sendable {
        package var key: ParameterKey
        /// To the millisecond.
        package var interval: Duration
    }

    /// What others may ask of the agent.
    package struct Commands: Equatable, Sendable {
        /// The names of the commands that are carried out; all others are refused.
        package var allow: Set<String>
        /// Whether `raw_request` may write.
        package var rawWriting: Bool
        /// Whether `clear_codes` may be told to clear while the engine runs.
        package var engineOverride: Bool
        /// What an unsigned command may ask for.
        package var unsignedRole: UnsignedRole
        /// The absolute path of a file with the keys of those who sign (RFC 7517); none: no signature counts.
        package var trustedKeys: String?

        /// What an unsigned command may ask for.
        package enum UnsignedRole: String, CaseIterable, Sendable {
            /// Nothing: all commands are signed.
            case none
            /// To read.
            case observer
            /// Also to select, to boost, to record findings and to clear.
            case specialist
        }

        /// The commands of this version.
        package static let known = [
            "describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters",
            "boost", "record_finding", "clear_codes", "run_test", "raw_request", "wake",
        ]

        /// Those beyond ``defaultAllow`` that an unsigned command may ask for.
        static let forUnsigned: Set = ["clear_codes", "wake"]

        /// What is allowed unless the file says otherwise: whatever changes nothing in the vehicle.
        package static let defaultAllow: Set = [
            "describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters",
            "boost", "record_finding",
        ]
    }

    /// When the time is right.
    package struct Clock: Equatable, Sendable {
        /// Who is believed.
        package var trust: Trust

        /// Who is believed that the time is right.
        package enum Trust: String, CaseIterable, Sendable {
            /// The kernel's synchronisation flag.
            case kernel
            /// Nobody is asked: the system's clock as it is.
            case system
        }
    }

    /// How a parked vehicle is left alone.
    package struct Parking: Equatable, Sendable {
        /// After so long without a running engine a vehicle counts as parked, 30 s to a day.
        package var after: Duration
        /// How often its voltage is looked at, 10 s to an hour.
        package var look: Duration
        /// How often its bus may be asked, in an hour and in a night.
        package var probesPerHour: Int
        package var probesPerNight: Int
        /// When it is night; nil: never.
        package var quiet: QuietHours?
        /// Below so many volts nothing is asked; 0: no limit.
        package var minimumVoltage: Double
        /// What is added to the adapter's readings, in volts.
        package var voltageOffset: Double
        /// Whether the adapter is put to sleep between two looks.
        package var sleepsAdapter: Bool
    }

    /// What becomes of the machine itself.
    package struct Power: Equatable, Sendable {
        /// After so long with a parked vehicle it is switched off, a minute to a week; nil: never.
        package var shutdownAfter: Duration?

        package init(shutdownAfter: Duration? = nil) { self.shutdownAfter = shutdownAfter }
    }

    /// What survives a power cut, and where.
    package struct Store: Equatable, Sendable {
        /// The absolute path of a directory; none: `$STATE_DIRECTORY`, or else `/var/lib/obd-agent`.
        package var directory: String?
        /// The most that the database may have, in bytes.
        package var limit: Int64
        /// How long what is recorded may be in memory only, up to an hour: the most that a power cut costs.
        package var window: Duration
        /// How many days what the broker has is kept as the recording of its vehicle; 0: not at all.
        package var keepDays: Int64
    }

    /// What is sent, and how.
    package struct Uplink: Equatable, Sendable {
        /// How live values are published.
        package var live: Live
        /// The time that one telemetry batch covers, 1 s to an hour.
        package var batchInterval: Duration
        /// How telemetry is packed.
        package var compression: Compression
        /// The bytes that may go out in a day; none: any number.
        package var dailyBudget: Int?

        /// How live values are published.
        package enum Live: String, CaseIterable, Sendable {
            /// As they come.
            case always
            /// Slowly, until somebody asks for more.
            case onDemand = "on-demand"
            /// Not at all.
            case off
        }

        /// How telemetry is packed.
        package enum Compression: String, CaseIterable, Sendable {
            /// As JSON.
            case none
            /// As JSON that is compressed with zlib, on a topic of its own.
            case zlib
        }
    }

    /// How Home Assistant gets to know the vehicle.
    package struct HomeAssistant: Equatable, Sendable {
        /// Whether it is told at all; where not, what it was told is taken back.
        package var isEnabled: Bool
        /// What the discovery topics begin with, at most 128 bytes.
        package var prefix: Topic
        /// How it is told.
        package var discovery: Discovery
        /// Whether it gets a button that clears the codes, where the commands of those who do not sign allow that.
        package var hasClearButton: Bool

        /// How it is told.
        package enum Discovery: String, CaseIterable, Sendable {
            /// By one message: 2024.11 and later.
            case device
            /// By a message for each entity.
            case component
        }
    }

    /// The wanted seconds between two readings of a parameter.
    static let intervals = 0.05...86_400.0

    /// What is read when the file selects nothing.
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
