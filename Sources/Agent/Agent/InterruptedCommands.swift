// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Logging
import Store
import Uplink

/// The commands that the previous process accepted and did not end.
struct InterruptedCommands: Sendable {
    private let commands: [UnfinishedCommand]
    private let present: VehicleTopics
    private let topicPrefix: Topic
    private let journal: StoredJournal
    private let uplink: Uplink
    private let logger: Logger

    init(_ context: AgentContext, _ opened: OpenedStore, journal: StoredJournal, uplink: Uplink) {
        self.commands = opened.unfinished
        self.present = opened.vehicle
        self.topicPrefix = context.configuration.mqtt.topicPrefix
        self.journal = journal
        self.uplink = uplink
        self.logger = context.logger
    }

    /// Answers each command with `interrupted`, in the journal and to its requester.
    func finish() async {
        for (response, destination) in await self.journal.endInterrupted(self.commands) {
            // The file can contain any bytes.
            guard let topics = self.topics(of: destination.vehicle), let topic = try? topics.topic(.commands) else {
                continue
            }
            var message = Message(topic: topic, payload: [])
            message.properties.responseTopic = destination.responseTopic.flatMap { try? Topic($0) }
            message.properties.correlationData = destination.correlationData
            await self.uplink.record(response, to: message, vehicle: topics.vehicle)
            self.logger.notice(
                "A command was interrupted",
                metadata: [
                    JournalEvent.metadataKey: "\(JournalEvent.commandInterrupted.rawValue)",
                    "command_id": "\(response.id ?? "")",
                ]
            )
        }
    }

    private func topics(of vehicle: String) -> VehicleTopics? {
        vehicle.isEmpty ? self.present : try? VehicleTopics(prefix: self.topicPrefix, vehicle: vehicle)
    }
}
