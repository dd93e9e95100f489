// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Configuration
import Contract
import MQTT
import Messages

/// What `check` finds out about a broker: whether it lets us in, and to the commands.
enum BrokerCheck {
    static func result(_ server: Configuration.Server, _ configuration: Configuration) async -> CheckResult {
        let password: String?
        do throws(AgentError) {
            password = try configuration.mqtt.password()
        } catch {
            return CheckResult("broker", .skipped, "\(server): there is no password to show")
        }
        let options = ConnectionOptions(
            server: MQTT.Server(server, configuration.mqtt),
            clientID: "obd-check-\(UInt32.random(in: 0 ... .max))",
            username: configuration.mqtt.username,
            password: password
        )
        do throws(MQTTError) {
            return try await Self.result(MQTTConnection(options), server, configuration)
        } catch {
            return CheckResult("broker", .failed, "\(server): \(error)", next: error.nextStep)
        }
    }

    private static func result(
        _ connection: MQTTConnection,
        _ server: Configuration.Server,
        _ configuration: Configuration
    ) async throws(MQTTError) -> CheckResult {
        // The VIN is not known here; where it is the name, what is tried is as good as any.
        let vehicle = configuration.vehicle.name ?? "obd-check"
        let topics = try? VehicleTopics(prefix: configuration.mqtt.topicPrefix, vehicle: vehicle)
        let text = "\(server)" + (server.tls ? ", TLS" : ", not encrypted")
        for await event in connection.events {
            switch event {
            case .connected:
                guard let topic = try? topics?.topic(.commands) else {
                    await connection.disconnect()
                    return CheckResult("broker", .ok, text)
                }
                _ = try connection.subscribe([(TopicFilter(topic), .atLeastOnce)], retainAsPublished: true)
            case .subscribed(_, let grants):
                await connection.disconnect()
                let isRefused = grants.contains { if case .refused = $0 { true } else { false } }
                guard isRefused, configuration.vehicle.name != nil else { return CheckResult("broker", .ok, text) }
                return CheckResult(
                    "broker",
                    .warning,
                    "\(text); it refuses the command topic of \(vehicle): no commands would arrive",
                    next: "let this user subscribe to it in the broker's access list; docs/broker.md shows one"
                )
            case .disconnected(let error): throw error
            case .acknowledged, .rejected: continue
            }
        }
        throw .notConnected
    }
}

extension MQTTError {
    /// What somebody can do about it.
    fileprivate var nextStep: String {
        switch self {
        case .cannotConnect: "does the broker run, and is [mqtt] url right? A firewall may be in between."
        case .tls: "is [mqtt] ca_file the authority of the broker's certificate, and the host name the certificate's?"
        case .refused(.badCredentials), .refused(.notAuthorised): "[mqtt] username and password_file"
        default: "the broker's log tells more."
        }
    }
}
