// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// A ``Following`` for a dashboard, which also reports the passing of time.
package struct DashboardFollowing: BrokerMachine {
    /// The progress.
    package enum Progress: Hashable, Sendable {
        case following(Following.Progress)
        case timePassed(MonotonicTime)
    }

    package typealias Outcome = Following.Outcome
    package typealias Action = BrokerAction<Progress, Outcome>

    private var following: Following

    package init(_ following: Following) {
        self.following = following
    }

    package var filters: [TopicFilter] { self.following.filters }
    package var qos: QoS { self.following.qos }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        Self.actions(self.following.subscriptionAnswered(grants, at: now))
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        Self.actions(self.following.messageReceived(message, at: now))
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        [.report(.timePassed(now))] + Self.actions(self.following.timePassed(at: now))
    }

    package mutating func publishRejected(code: UInt8) -> [Action] {
        Self.actions(self.following.publishRejected(code: code))
    }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        Self.actions(self.following.connectionLost(error))
    }

    package mutating func stopRequested() -> [Action] { Self.actions(self.following.stopRequested()) }

    private static func actions(_ actions: [Following.Action]) -> [Action] {
        actions.map { action in
            switch action {
            case .publish(let message): .publish(message)
            case .report(let progress): .report(.following(progress))
            case .finish(let outcome): .finish(outcome)
            }
        }
    }
}
