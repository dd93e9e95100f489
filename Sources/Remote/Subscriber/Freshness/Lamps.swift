// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The connection of a viewer to its source.
package enum ViewerConnection: Hashable, Sendable {
    case connecting
    case connected
    /// The connection is lost since this time, for this reason.
    case lost(since: MonotonicTime, reason: String)
}

/// The four lamps of a screen, which tell whether its values are measured now.
///
/// They follow the way of a value backwards: the viewer's broker, the agent, its link to the adapter, the vehicle. If one
/// of the first two is out, the viewer does not know the present state of those behind it. A viewer whose source is the
/// agent itself needs no broker: the first lamp is the agent's own connection then, and no value depends on it.
package struct Lamps: Hashable, Sendable {
    /// The color of a lamp.
    package enum Light: Hashable, Sendable {
        /// The part works.
        case good
        /// The part needs attention, or rests.
        case attention
        /// The state is unknown, or the last known one.
        case out
        /// There is no such part, and none is needed.
        case absent
    }

    /// A lamp with its name and its state in words.
    package struct Lamp: Hashable, Sendable {
        package let name: String
        package let state: String
        package let light: Light

        fileprivate init(_ name: String, _ state: String?, _ light: Light) {
            self.name = name
            self.light = state == nil ? .out : light
            let words = state.map { Printable.text($0.prefix(bytes: 30)) }
            // A last known state is not the present one.
            self.state = words.map { light == .out ? "was \($0)" : $0 } ?? "unknown"
        }
    }

    package let broker: Lamp
    package let agent: Lamp
    package let link: Lamp
    package let vehicle: Lamp
    /// Whether values are measured, published and received now.
    package let areLit: Bool

    package var all: [Lamp] { [self.broker, self.agent, self.link, self.vehicle] }

    /// - Parameters:
    ///   - source: the source of the viewer's messages.
    ///   - connection: the viewer's own connection to it.
    ///   - picture: the state of the vehicle according to its retained topics.
    ///   - told: the topics of the picture that the present connection has brought; others may not be true any more.
    ///   - now: the present time.
    package init(
        from source: LiveSource,
        _ connection: ViewerConnection,
        _ picture: VehiclePicture,
        told: Set<String>,
        at now: MonotonicTime
    ) {
        let isConnected = connection == .connected
        let isAgentTold = isConnected && told.contains("availability")
        let isStatusTold = isConnected && told.contains("status")
        let isOnline = isAgentTold && picture.availability == .online
        let agent = Lamp("agent", picture.availability?.rawValue, !isAgentTold ? .out : isOnline ? .good : .attention)
        let lost: String? = if case .lost(let time, _) = connection { "lost \((now - time).ageText)" } else { nil }
        switch source {
        case .agent:
            let isBrokerTold = isConnected && told.contains(BrokerReport.path)
            let light: Light =
                switch picture.broker {
                case .connected: .good
                case .notConfigured: .absent
                case .notConnected, nil: .attention
                }
            self.broker = Lamp("broker", picture.broker?.words, isBrokerTold ? light : .out)
            self.agent = lost.map { Lamp("agent", $0, .attention) } ?? agent
        case .broker:
            self.broker =
                lost.map { Lamp("broker", $0, .attention) }
                ?? Lamp("broker", isConnected ? "connected" : nil, isConnected ? .good : .out)
            self.agent = agent
        }
        let isLinked = picture.link == AgentStatus.Link.connected.rawValue
        self.link = Lamp("adapter", picture.link, !isOnline || !isStatusTold ? .out : isLinked ? .good : .attention)
        let isParked = picture.isParked == true
        let use = picture.ignition.map { $0 == "running" ? $0 : "ignition \($0)" }
        self.vehicle = Lamp(
            "vehicle",
            isParked ? "parked" : picture.isConfirmed || !isLinked ? use : "not confirmed",
            !isOnline || !isStatusTold || !(isLinked || isParked)
                ? .out : picture.isConfirmed && !isParked ? .good : .attention
        )
        self.areLit = isOnline && isStatusTold && isLinked && picture.isConfirmed && !isParked
    }
}
