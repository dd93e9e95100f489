// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Messages

/// What an uplink is made with.
package struct UplinkOptions: Sendable {
    /// The brokers, tried in this order.
    package var servers: [Server]
    package var username: String?
    package var password: String?
    package var topicPrefix: Topic
    /// The agent's identity: part of the client id, and of every record.
    package var agent: String
    /// The boot of the machine, as `telemetry` tells it.
    package var boot: String
    /// How long samples are gathered for one record of `telemetry`.
    package var batchInterval: Duration

    package init(
        servers: [Server],
        username: String?,
        password: String?,
        topicPrefix: Topic,
        agent: String,
        boot: String,
        batchInterval: Duration
    ) {
        self.servers = servers
        self.username = username
        self.password = password
        self.topicPrefix = topicPrefix
        self.agent = agent
        self.boot = boot
        self.batchInterval = batchInterval
    }
}
