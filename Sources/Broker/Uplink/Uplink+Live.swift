// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract
import Logging
import MQTT

// Samples and the live plane. A sample goes both ways: to the live plane and into the telemetry batch.
extension Uplink {
    /// Publishes a sample that is not recorded, because the records have its value.
    package func show(_ sample: Sample) { self.update(sample.path, .parameter(sample.report)) }

    /// The time within which a live value that is still measured is published again; nil if none is published.
    package var liveWithin: Duration? { self.live.refresh }

    /// Publishes and records samples.
    package func ingest(_ samples: [Sample]) async {
        for sample in samples { self.show(sample) }
        await self.records.ingest(samples)
    }

    /// Records points of the vehicle's track.
    package func ingest(_ points: [TrackBatcher.Point]) async { await self.records.ingest(points) }

    // MARK: - The live plane

    /// Takes the newest payload of a retained topic, and publishes it when it may be.
    package func update(_ path: TopicPath, _ payload: LivePayload) {
        self.feed.updated(path, payload)
        if case .publish(let payload) = self.live.update(path, payload, at: self.clock.now) {
            self.publish(payload, on: path)
        }
    }

    /// Takes the newest finding about a vehicle; ignored if another vehicle is connected.
    package func update(_ finding: Finding, of vehicle: String) {
        guard vehicle == self.vehicle else { return }
        self.update(.finding, .finding(finding))
    }

    /// Publishes parameters at the full rate for a time, also in the mode `onDemand`.
    ///
    /// - Parameter duration: at most ``LivePlane/longestBoost``; zero ends the boost.
    /// - Returns: whether values are published at all.
    package func boost(_ names: Set<String>, for duration: Duration) -> Bool {
        self.live.boost(names, for: duration, at: self.clock.now)
        return self.options.live != .off
    }

    /// Empties the retained topics of all parameters but these, for all ECUs.
    ///
    /// - Parameter names: the selected parameters.
    package func withdrawParameters(except names: Set<String>) {
        let removed = self.live.remove { path in
            if case .parameter(let name, _) = path { !names.contains(name) } else { false }
        }
        self.feed.removed(removed.all)
        guard let connection = self.link.openConnection else { return }
        for path in removed.published {
            guard let topic = try? self.topics.topic(path) else { continue }
            _ = try? connection.publish(Message(topic: topic, payload: [], qos: .atLeastOnce, retain: true))
        }
    }

    func publishDue() {
        for (path, payload) in self.live.due(at: self.clock.now) { self.publish(payload, on: path) }
    }

    private func publish(_ payload: LivePayload, on path: TopicPath) {
        guard let connection = self.link.openConnection else { return }
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
            // The end of the connection is reported separately, and a newer payload follows.
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
