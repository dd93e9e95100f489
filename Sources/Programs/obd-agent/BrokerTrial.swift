// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine
import Configuration
import Contract
import MQTT

/// A trial of a broker's permissions for a vehicle whose name is known, and the broker's answers.
struct BrokerTrial {
    /// The outcome of the trial message.
    enum Publication: Equatable {
        case acknowledged
        /// A reason code of MQTT 5, section 3.4.2.1.
        case refused(code: UInt8)
        /// The connection ended before an answer.
        case lost(MQTTError)
    }

    let vehicle: String
    let commands: Topic
    /// The trial message, on the response topic of a requester that does not exist.
    ///
    /// It is no JSON, so that no program takes it for a response.
    let message: Message
    let version: ProtocolVersion
    /// Whether the broker refused the subscription to commands; nil until it answers.
    var refusesCommands: Bool?

    /// Returns nil if the vehicle's topics are unknown without its VIN.
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

    /// Returns the result of the check.
    ///
    /// - Parameter text: the description of the connection.
    func result(_ publication: Publication, _ text: String) -> CheckResult {
        let list = "in the broker's access list; docs/tasks/set-up-broker.md shows one"
        let isDeaf = self.refusesCommands == true
        let deaf = "it refuses the subscription to the commands of \(self.vehicle)"
        let known = isDeaf ? "\(text); \(deaf)" : text
        let permission =
            "set [vehicle] name to this user's name at the broker, or let it publish the topics of \(self.vehicle) \(list)"
        switch publication {
        case .refused(let code):
            let reason = code == 0x87 ? "not authorised" : "reason code \(code)"
            let text = "\(known); it refuses messages to \(self.message.topic): \(reason)"
            return CheckResult("broker", .failed, text, next: permission)
        case .lost(let error):
            let text = "\(known); no acknowledgement of a message to \(self.message.topic): \(error)"
            return CheckResult(
                "broker",
                .failed,
                text,
                next: "some brokers disconnect clients that may not publish: \(permission)"
            )
        case .acknowledged where isDeaf:
            return CheckResult("broker", .warning, known, next: "let this user subscribe to \(self.commands) \(list)")
        case .acknowledged:
            let outcome =
                switch self.version {
                case .v5: "it accepts messages of \(self.vehicle)"
                case .v311: "MQTT 3.1.1, in which a broker does not report refused messages"
                }
            return CheckResult("broker", .ok, "\(text); \(outcome)")
        }
    }
}
