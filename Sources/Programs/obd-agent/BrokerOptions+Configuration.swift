// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration
import MQTT

extension BrokerOptions {
    /// Returns the access to the first broker of an agent's configuration.
    ///
    /// The access does not connect before its first use.
    func brokerAccess(of configuration: Configuration) throws -> BrokerAccess {
        // A configuration has at least one.
        guard let broker = try self.brokerAccesses(of: configuration).first else {
            throw CommandFailure(
                .configuration,
                "[mqtt] url is missing",
                next: "url = \"mqtts://HOST:8883\", or --broker."
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
            throw CommandFailure(.configuration, error.description)
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
}
