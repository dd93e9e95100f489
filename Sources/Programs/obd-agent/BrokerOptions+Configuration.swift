// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration
import Glibc
import MQTT

extension BrokerOptions {
    /// Returns the access to the first broker of an agent's configuration.
    ///
    /// The access does not connect before its first use.
    func brokerAccess(of configuration: Configuration) throws -> BrokerAccess {
        guard let broker = try self.brokerAccesses(of: configuration).first else {
            throw CommandFailure(
                .configuration,
                "the configuration names no broker",
                next: "[mqtt] url = \"mqtts://HOST:8883\", or --broker."
            )
        }
        return broker
    }

    /// Returns the access to each broker of an agent's configuration.
    ///
    /// None is connected yet.
    func brokerAccesses(of configuration: Configuration) throws -> [BrokerAccess] {
        let mqtt = configuration.mqtt
        let password: String?
        do {
            password = try mqtt.password()
        } catch {
            throw Self.unreadable(mqtt.passwordFile) ?? CommandFailure(.configuration, error.description)
        }
        if let failure = [mqtt.caFile, mqtt.certificateFile, mqtt.keyFile].lazy.compactMap(Self.unreadable).first {
            throw failure
        }
        return mqtt.servers.map { server in
            let connection = ConnectionOptions(
                server: MQTT.Server(server, mqtt),
                clientID: Self.clientID,
                username: mqtt.username,
                password: password
            )
            return self.brokerAccess(named: "\(server)", connection, prefix: mqtt.topicPrefix, settings: .configuration)
        }
    }

    /// Returns the failure of a file that only the agent and root may read; nil if this user may read it.
    ///
    /// Its holder can publish as the vehicle, so no group of people gets it.
    private static func unreadable(_ path: String?) -> CommandFailure? {
        guard let path, unsafe access(path, R_OK) != 0, errno == EACCES else { return nil }
        return CommandFailure(
            .noPermission,
            "this user may not read \(path), with which the agent connects to the broker",
            next:
                "the same with sudo; or --broker, --username and --password-file with a user of your own at the broker."
        )
    }
}
