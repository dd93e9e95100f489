// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import Logging
import MQTT
import Base

// The live plane: the newest of everything, retained and conflated.
extension Uplink {
    /// The newest payload of a retained topic.
    package func update(_ path: TopicPath, _ payload: LivePayload) {
        if case .publish(let payload) = self.live.update(path, payload, at: self.clock.now) {
            self.publish(payload, on: path)
        }
    }

    /// Publishes parameters as they come for so long, also where they are published slowly else.
    ///
    /// - Parameter duration: at most ``LivePlane/longestBoost``; zero ends it.
    /// - Returns: whether values are published at all.
    package func boost(_ names: Set<String>, for duration: Duration) -> Bool {
        self.live.boost(names, for: duration, at: self.clock.now)
        return self.options.live != .off
    }

    /// What is not selected any more has no value: its topics are emptied, those of all ECUs.
    ///
    /// - Parameter names: the parameters that are selected.
    package func keep(_ names: Set<String>) {
        for path in self.live.remove(where: { path in
            if case .parameter(let name, _) = path { !names.contains(name) } else { false }
        }) {
            guard let connection = self.connection, self.isConnected, let topic = try? self.topics.topic(path) else {
                continue
            }
            _ = try? connection.publish(Message(topic: topic, payload: [], qos: .atLeastOnce, retain: true))
        }
    }

    func publishDue() {
        for (path, payload) in self.live.due(at: self.clock.now) { self.publish(payload, on: path) }
    }

    func publish(_ payload: LivePayload, on path: TopicPath) {
        guard let connection = self.connection, self.isConnected else { return }
        do {
            _ = try connection.publish(
                Message(
                    topic: try self.topics.topic(path),
                    payload: try payload.encoded(),
                    qos: payload.isAcknowledged ? .atLeastOnce : .atMostOnce,
                    retain: true
                )
            )
        } catch {
            // The connection's end is reported on its own; a newer payload follows.
            self.logger.debug("Not published: \(error)", metadata: ["topic": "\(path)"])
        }
    }

    func publishAvailability(_ availability: Availability, over connection: any BrokerConnection) {
        guard let topic = try? self.topics.topic(.availability) else { return }
        _ = try? connection.publish(
            Message(topic: topic, payload: availability.payload, qos: .atLeastOnce, retain: true)
        )
    }
}
