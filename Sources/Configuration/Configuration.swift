// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Messages
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
    /// What is read and how often, by PID, each once.
    package var parameters: [ParameterInterval]
    /// The table `[commands]`.
    package var commands: Commands
    /// The table `[clock]`.
    package var clock: Clock
    /// The table `[uplink]`.
    package var uplink: Uplink

    /// Which vehicle this is.
    package struct Vehicle: Equatable, Sendable {
        /// The vehicle's topic level, at most 128 bytes; none: its VIN.
        package var name: String?
    }

    /// How to talk to the vehicle.
    package struct Adapter: Equatable, Sendable {
        /// Where the adapter is.
        package var address: AdapterAddress
        /// The bus to use.
        package var protocolChoice: ProtocolChoice
        /// The PIN of a Bluetooth LE adapter that wants to be paired: up to six digits.
        package var pin: String?
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
        /// The parameter, of service 01.
        package var pid: PID
        /// To the millisecond.
        package var interval: Duration
    }

    /// What others may ask of the agent.
    package struct Commands: Equatable, Sendable {
        /// The names of the commands that are carried out; all others are refused.
        package var allow: Set<String>

        /// The commands of this version.
        package static let known = [
            "describe", "read_codes", "read_parameters", "select_parameters", "clear_codes",
        ]

        /// What is allowed unless the file says otherwise: whatever changes nothing in the vehicle.
        package static let defaultAllow: Set = ["describe", "read_codes", "read_parameters", "select_parameters"]
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

    /// How records are sent.
    package struct Uplink: Equatable, Sendable {
        /// The time that one telemetry batch covers, 1 s to an hour.
        package var batchInterval: Duration
    }

    /// What is read when the file selects nothing.
    package static let defaultParameters: [ParameterInterval] = [
        .init(pid: 0x04, interval: .seconds(1)),  // engine_load
        .init(pid: 0x05, interval: .seconds(10)),  // coolant_temperature
        .init(pid: 0x0C, interval: .milliseconds(500)),  // engine_speed
        .init(pid: 0x0D, interval: .milliseconds(500)),  // vehicle_speed
        .init(pid: 0x0F, interval: .seconds(30)),  // intake_air_temperature
        .init(pid: 0x11, interval: .seconds(1)),  // throttle_position
        .init(pid: 0x2F, interval: .seconds(60)),  // fuel_level
        .init(pid: 0x42, interval: .seconds(30)),  // control_module_voltage
    ]
}
