// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// What an uplink is made with.
package struct UplinkOptions: Sendable {
    /// The brokers, tried in this order.
    package var servers: [Server]
    package var username: String?
    /// Reads the password, for each connection anew; nil: there is none.
    package var password: @Sendable () throws(MQTTError) -> String?
    package var topicPrefix: Topic
    /// The agent's identity: part of the client id, and of every record.
    package var agent: String
    /// The boot of the machine, as `telemetry` tells it.
    package var boot: String
    /// How long samples are gathered for one record of `telemetry`.
    package var batchInterval: Duration
    /// How live values are published.
    package var live: LivePlane.Mode
    /// The bytes that may go out in a day; nil: any number.
    package var dailyBudget: Int?
    /// Whether `telemetry` goes out as `telemetry/zlib`.
    package var compressesTelemetry: Bool
    /// What those who announce want to hear beside the commands; nil: nothing.
    package var listensTo: TopicFilter?
    /// How long what is recorded may be in memory only; zero: not at all.
    package var storeWindow: Duration
    /// Whether the process before this one died, so that this one records before it connects.
    package var followsCrash = false

    package init(
        servers: [Server],
        username: String?,
        password: @escaping @Sendable () throws(MQTTError) -> String? = { () throws(MQTTError) in nil },
        topicPrefix: Topic,
        agent: String,
        boot: String,
        batchInterval: Duration,
        live: LivePlane.Mode = .always,
        dailyBudget: Int? = nil,
        compressesTelemetry: Bool,
        storeWindow: Duration
    ) {
        self.servers = servers
        self.username = username
        self.password = password
        self.topicPrefix = topicPrefix
        self.agent = agent
        self.boot = boot
        self.batchInterval = batchInterval
        self.live = live
        self.dailyBudget = dailyBudget
        self.compressesTelemetry = compressesTelemetry
        self.storeWindow = storeWindow
    }
}
