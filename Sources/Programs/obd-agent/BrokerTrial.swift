// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Configuration
import Contract
import MQTT
import Base

/// What is tried of a broker for a vehicle whose name is known, and what it has said.
struct BrokerTrial {
    /// What became of the message.
    enum Publication: Equatable {
        case taken
        /// A reason code of MQTT 5, section 3.4.2.1.
        case refused(code: UInt8)
        /// The connection ended first.
        case lost(MQTTError)
    }

    let vehicle: String
    let commands: Topic
    /// Where one requester would hear responses, and nobody has asked; no JSON, so that nobody takes it for one.
    let message: Message
    let version: ProtocolVersion
    /// Whether it refuses the topic of the commands; nil as long as it has not said.
    var refusesCommands: Bool?

    /// Nil where the vehicle's topics are not known before the vehicle is.
    init?(_ configuration: Configuration, _ options: ConnectionOptions) {
        guard let vehicle = configuration.vehicle.name,
            let topics = try? VehicleTopics(prefix: configuration.mqtt.topicPrefix, vehicle: vehicle),
            let commands = try? topics.topic(.commands),
            let own = try? topics.topic(.stream(.responses)).appending(options.clientID)
        else { return nil }
        self.vehicle = vehicle
        self.commands = commands
        self.version = options.version
        self.message = Message(
            topic: own,
            payload: Array("obd-agent check".utf8),
            qos: .atLeastOnce,
            properties: Message.Properties(expiry: 10)
        )
    }

    /// - Parameter text: what is known of the connection, for people.
    func result(_ publication: Publication, _ text: String) -> CheckResult {
        let list = "in the broker's access list; docs/tasks/set-up-broker.md shows one"
        let isDeaf = self.refusesCommands == true
        let deaf = "it refuses the commands of \(self.vehicle): none would arrive"
        let known = isDeaf ? "\(text); \(deaf)" : text
        let permission =
            "set [vehicle] name as the broker knows this user, or let it publish the topics of \(self.vehicle) \(list)"
        switch publication {
        case .refused(let code):
            let reason = code == 0x87 ? "not authorised" : "reason code \(code)"
            let text = "\(known); it refuses what is published to \(self.message.topic): \(reason)"
            return CheckResult("broker", .failed, text, next: permission)
        case .lost(let error):
            let text = "\(known); no answer to what is published to \(self.message.topic): \(error)"
            return CheckResult("broker", .failed, text, next: "some brokers do so where it is forbidden: \(permission)")
        case .taken where isDeaf:
            return CheckResult("broker", .warning, known, next: "let this user subscribe to \(self.commands) \(list)")
        case .taken:
            let outcome =
                switch self.version {
                case .v5: "it takes messages of \(self.vehicle)"
                case .v311: "MQTT 3.1.1, in which no broker tells whether it takes messages"
                }
            return CheckResult("broker", .ok, "\(text); \(outcome)")
        }
    }
}
