// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// Follows a vehicle for a dashboard, and tells too that time has passed.
package struct DashboardFollowing: BrokerMachine {
    package enum News: Hashable, Sendable {
        case following(Following.News)
        case passed(MonotonicTime)
    }

    package typealias Outcome = Following.Outcome
    package typealias Action = BrokerAction<News, Outcome>

    private var following: Following

    package init(_ following: Following) {
        self.following = following
    }

    package var filters: [TopicFilter] { self.following.filters }
    package var qos: QoS { self.following.qos }

    package mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        Self.actions(self.following.subscribed(grants, at: now))
    }

    package mutating func received(_ message: Message, at now: MonotonicTime) -> [Action] {
        Self.actions(self.following.received(message, at: now))
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        [.tell(.passed(now))] + Self.actions(self.following.passed(at: now))
    }

    package mutating func rejected(code: UInt8) -> [Action] { Self.actions(self.following.rejected(code: code)) }

    package mutating func lost(_ error: MQTTError) -> [Action] { Self.actions(self.following.lost(error)) }

    package mutating func stopped() -> [Action] { Self.actions(self.following.stopped()) }

    private static func actions(_ actions: [Following.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .publish(let message): .publish(message)
            case .tell(let news): .tell(.following(news))
            case .finish(let outcome): .finish(outcome)
            }
        }
    }
}
