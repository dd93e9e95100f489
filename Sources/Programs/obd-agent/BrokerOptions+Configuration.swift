// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Agent
import CommandLine
import Configuration
import MQTT

extension BrokerOptions {
    /// The broker of the agent that this is the configuration of, not yet connected.
    func remoteBroker(of configuration: Configuration) throws -> RemoteBroker {
        // A configuration has at least one.
        guard let broker = try self.remoteBrokers(of: configuration).first else {
            throw CommandFailure(.configuration, "[mqtt] url is missing")
        }
        return broker
    }

    /// All brokers of the agent that this is the configuration of, not yet connected.
    func remoteBrokers(of configuration: Configuration) throws -> [RemoteBroker] {
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
            return self.remoteBroker(named: "\(server)", connection, prefix: mqtt.topicPrefix)
        }
    }
}
