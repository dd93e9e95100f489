// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import Logging
import MQTT
package import Messages
import Store
import Timing

// The record plane: numbered records that are kept until the broker has acknowledged them.
extension Uplink {
    /// Records an event.
    package func record(_ event: AgentEvent) async {
        await self.record(event, to: .events, destination: Outbox.Destination(vehicle: self.topics.vehicle))
    }

    /// Records a response, and sends it also to where the requester wants it.
    ///
    /// - Parameters:
    ///   - vehicle: the vehicle that the command was for.
    ///   - request: the command's message; its response topic counts only below the vehicle's own `responses/`.
    package func record(_ response: CommandResponse, to request: Message, vehicle: String) async {
        var destination = Outbox.Destination(vehicle: vehicle)
        destination.correlationData = request.properties.correlationData
        if let topic = request.properties.responseTopic?.description,
            let own = try? VehicleTopics(prefix: self.options.topicPrefix, vehicle: vehicle).topic(.stream(.responses)),
            topic.hasPrefix(own.description + "/")
        {
            destination.responseTopic = topic
        }
        await self.record(response, to: .responses, destination: destination)
    }

    /// Tells consumers that numbers are missing for good; only here, so that this does not push out more records.
    func announceGaps() async {
        let gaps = self.gaps
        self.gaps = [:]
        for (stream, range) in gaps {
            self.logger.warning(
                "There was no room for records",
                metadata: ["stream": "\(stream)", "numbers": "\(range)"]
            )
            var event = AgentEvent(.recordsDropped, time: self.clock.timestamp, clock: self.clock.quality)
            event.stream = stream.rawValue
            (event.from, event.to) = (range.lowerBound, range.upperBound)
            await self.record(event)
        }
    }

    func record(_ batch: TelemetryBatcher.Batch) async {
        let telemetry = Telemetry(
            boot: self.options.boot,
            clock: self.clock.quality,
            t0: self.clock.timestamp(of: batch.start),
            series: batch.series
        )
        await self.record(telemetry, to: .telemetry, destination: Outbox.Destination(vehicle: self.topics.vehicle))
    }

    func record(
        _ body: some Encodable & Sendable,
        to stream: RecordStream,
        destination: Outbox.Destination
    ) async {
        do {
            let gaps = try await self.store.append(to: stream, destination: destination) { number in
                try PayloadEncoder.bytes(of: Record(number: number, body: body))
            }
            for gap in gaps {
                // What was in flight is older than what was thrown away meanwhile, and may have to go after it.
                let known = self.gaps[gap.stream] ?? gap.range
                let first = min(known.lowerBound, gap.range.lowerBound)
                self.gaps[gap.stream] = first...max(known.upperBound, gap.range.upperBound)
            }
        } catch {
            self.logger.error("A record could not be written: \(error)", metadata: ["stream": "\(stream)"])
        }
        await self.pump()
    }

    /// Publishes what waits, as far as the window allows.
    func pump() async {
        guard !self.isPumping, self.clock.now >= self.pumpingResumes else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        while let connection = self.connection, self.isConnected, self.inFlight.count < Self.window,
            let entry = await self.store.next()
        {
            guard self.publish(entry, over: connection) else { return await self.store.returnInFlight() }
        }
    }

    func publish(_ entry: Outbox.Entry, over connection: MQTTConnection) -> Bool {
        do {
            let topics = try VehicleTopics(prefix: self.options.topicPrefix, vehicle: entry.destination.vehicle)
            var message = Message(
                topic: try topics.topic(.stream(entry.stream)),
                payload: entry.payload,
                qos: .atLeastOnce,
                retain: false
            )
            message.properties.correlationData = entry.destination.correlationData
            if let topic = entry.destination.responseTopic {
                var answer = message
                answer.topic = try Topic(topic)
                _ = try connection.publish(answer)
            }
            self.inFlight[try connection.publish(message)] = entry
            return true
        } catch {
            self.logger.debug("Not published: \(error)", metadata: ["stream": "\(entry.stream)"])
            return false
        }
    }

    /// The broker does not want a record, for want of right or room: it is kept, and all wait before the next try.
    func rejected(_ packet: PacketID, _ code: UInt8) async {
        self.logger.error("The broker rejects a message", metadata: ["reason_code": "\(code)"])
        guard self.inFlight.removeValue(forKey: packet) != nil else { return }
        self.pumpingResumes = self.clock.now + Self.rejectionPause
        self.inFlight = [:]
        await self.store.returnInFlight()
    }

    func acknowledged(_ packet: PacketID) async {
        guard let entry = self.inFlight.removeValue(forKey: packet) else { return }
        await self.store.acknowledge(entry)
        await self.pump()
    }
}
