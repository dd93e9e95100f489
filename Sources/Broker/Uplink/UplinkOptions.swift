// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// The configuration of an ``Uplink``.
package struct UplinkOptions: Sendable {
    /// The brokers, in the order in which they are tried; empty: the uplink connects to none.
    package var servers: [Server]
    package var username: String?
    /// Reads the password again for each connection; returns nil if there is none.
    package var password: @Sendable () throws(MQTTError) -> String? = { () throws(MQTTError) in nil }
    package var topicPrefix: Topic
    /// The agent's identity: part of the client id, and of every record.
    package var agent: String
    /// The boot of the machine, for `telemetry`.
    package var boot: String
    /// The time for which samples are gathered for one record of `telemetry`.
    package var batchInterval: Duration
    /// The mode of the live plane.
    package var live = LivePlane.Mode.always
    /// The largest number of bytes that may be sent in a day; nil: any number.
    package var dailyBudget: Int?
    /// Whether `telemetry` is published as `telemetry/zlib`.
    package var compressesTelemetry: Bool
    /// The commands that have a topic of their own below `commands`.
    package var buttons: [String] = []
    /// The topics that the announcer reads besides the commands; nil: none.
    package var announcementFilter: TopicFilter?
    /// The longest time for which records may be in memory only; zero: every record is written at once.
    package var storeWindow: Duration
    /// Whether the previous process died while it connected, so that this one records before it connects.
    package var followsCrash = false
    /// Called with true before each attempt to connect, and with false when that cannot crash the process any more.
    package var markConnecting: @Sendable (Bool) -> Void = { _ in }

    package init(
        servers: [Server],
        username: String?,
        topicPrefix: Topic,
        agent: String,
        boot: String,
        batchInterval: Duration,
        compressesTelemetry: Bool,
        storeWindow: Duration
    ) {
        self.servers = servers
        self.username = username
        self.topicPrefix = topicPrefix
        self.agent = agent
        self.boot = boot
        self.batchInterval = batchInterval
        self.compressesTelemetry = compressesTelemetry
        self.storeWindow = storeWindow
    }
}
