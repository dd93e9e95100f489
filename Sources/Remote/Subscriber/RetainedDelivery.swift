// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT

/// Tells when a broker has sent all the retained messages of a subscription.
///
/// No packet ends them, and a link may stand still for seconds between two of them. So silence alone proves nothing:
/// after it the client unsubscribes, and the answer comes behind all that the broker has sent. MQTT does not promise
/// that; Mosquitto does it. A broker that takes longer than ``quietTime`` to begin may still send nothing more after its
/// answer.
struct RetainedDelivery {
    /// The time without a message after which the client unsubscribes.
    ///
    /// Some brokers answer a subscription before they look for the retained messages.
    static let quietTime = Duration.milliseconds(500)

    private enum Phase {
        case unsubscribed
        case receiving(lastMessageTime: MonotonicTime)
        case ending
    }

    private var phase = Phase.unsubscribed
    /// The topics that have had a message; a further one on the same topic is live, and those may never pause.
    private var topics: Set<Topic> = []

    /// Whether the broker has answered the subscription on this connection.
    var isAnswered: Bool { if case .unsubscribed = self.phase { false } else { true } }

    /// The broker answered the subscription.
    mutating func subscriptionAnswered(at now: MonotonicTime) { self.phase = .receiving(lastMessageTime: now) }

    /// A message arrived.
    mutating func messageReceived(on topic: Topic, at now: MonotonicTime) {
        guard self.topics.insert(topic).inserted, case .receiving = self.phase else { return }
        self.phase = .receiving(lastMessageTime: now)
    }

    /// Returns whether the client must unsubscribe now; true once for each subscription.
    mutating func timePassed(at now: MonotonicTime) -> Bool {
        guard case .receiving(let last) = self.phase, now >= last + Self.quietTime else { return false }
        self.phase = .ending
        return true
    }
}
