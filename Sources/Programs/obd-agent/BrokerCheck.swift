// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Agent
import Configuration
import Contract
import MQTT
import Base

/// What `check` finds out about a broker: whether it lets us in, to the commands, and publish.
enum BrokerCheck {
    /// The most that it may take to answer what is tried.
    private static let patience = Duration.seconds(10)

    static func result(_ server: Configuration.Server, _ configuration: Configuration) async -> CheckResult {
        let password: String?
        do throws(AgentError) {
            password = try configuration.mqtt.password()
        } catch {
            return CheckResult("broker", .skipped, "\(server): there is no password to show")
        }
        var options = ConnectionOptions(
            server: MQTT.Server(server, configuration.mqtt),
            clientID: "obd-check-\(UInt32.random(in: 0 ... .max))",
            username: configuration.mqtt.username,
            password: password
        )
        let text = "\(server)" + (server.tls ? ", TLS" : ", not encrypted")
        // As the agent does with old brokers.
        var fallback = VersionFallback()
        while true {
            options.version = fallback.version
            do throws(MQTTError) {
                return try await Self.result(options, configuration, text)
            } catch {
                fallback.ended(error)
                let isUnanswered = if case .closedUnanswered = error { true } else { false }
                guard options.version == .v5, isUnanswered || fallback.version == .v311 else {
                    return CheckResult("broker", .failed, "\(server): \(error)", next: error.nextStep)
                }
            }
        }
    }

    private static func result(
        _ options: ConnectionOptions,
        _ configuration: Configuration,
        _ text: String
    ) async throws(MQTTError) -> CheckResult {
        let connection = try MQTTConnection(options)
        let patience = Task {
            try await Task.sleep(for: options.connectTimeout + Self.patience)
            // Ends the events.
            await connection.disconnect()
        }
        defer { patience.cancel() }
        var trial = BrokerTrial(configuration, options)
        for await event in connection.events {
            switch event {
            case .connected:
                guard let trial else {
                    await connection.disconnect()
                    // The VIN is not known here.
                    let unknown = "what it permits is not tried: [vehicle] name does not say for which topics"
                    return CheckResult("broker", .ok, "\(text); \(unknown)")
                }
                _ = try connection.subscribe([(TopicFilter(trial.commands), .atLeastOnce)], retainAsPublished: true)
            case .subscribed(_, let grants):
                trial?.refusesCommands = grants.contains { if case .refused = $0 { true } else { false } }
                if let trial { _ = try connection.publish(trial.message) }
            case .acknowledged, .rejected:
                await connection.disconnect()
                let refusal: UInt8? = if case .rejected(_, let code) = event { code } else { nil }
                if let trial { return trial.result(refusal.map { .refused(code: $0) } ?? .taken, text) }
            case .disconnected(let error):
                guard let trial, trial.refusesCommands != nil else { throw error }
                return trial.result(.lost(error), text)
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
        case .tls:
            "is [mqtt] ca_file the authority of the broker's certificate, and the host one of its subject alternative names?"
        case .refused(.badCredentials), .refused(.notAuthorized): "[mqtt] username and password_file"
        default: "the broker's log tells more."
        }
    }
}
