// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import Base
import CommandLine
import Configuration
import Contract
import MQTT

/// Checks whether a broker accepts the agent, its subscription to commands, and its messages.
enum BrokerCheck {
    /// The time limit for the broker's answers, beyond the time to connect.
    private static let timeout = Duration.seconds(10)

    /// The result of a connection, and whether the broker refused the user or the password.
    typealias Outcome = (result: CheckResult, isRefused: Bool)

    static func result(_ server: Configuration.Server, _ configuration: Configuration) async -> CheckResult {
        await Self.outcome(server, configuration, typed: nil).result
    }

    /// Connects as the plan of `setup` would have it, and publishes nothing.
    static func outcome(of trial: SetupPlan.Trial) async -> Outcome {
        var configuration = trial.configuration
        configuration.vehicle.name = nil
        var outcome = (CheckResult("broker", .skipped, "there is none"), false)
        // The first broker that answers decides, as for the agent.
        for server in configuration.mqtt.servers {
            outcome = await Self.outcome(server, configuration, typed: trial.password)
            if outcome.0.verdict == .ok || outcome.1 { break }
        }
        return outcome
    }

    /// - Parameter typed: a password that is not in its file yet; nil for that of the file.
    private static func outcome(
        _ server: Configuration.Server,
        _ configuration: Configuration,
        typed: String?
    ) async -> Outcome {
        let password: String?
        do throws(AgentError) {
            password = if let typed { typed } else { try configuration.mqtt.password() }
        } catch {
            return (CheckResult("broker", .skipped, "\(server): the password cannot be read"), false)
        }
        var options = ConnectionOptions(
            server: MQTT.Server(server, configuration.mqtt),
            clientID: "obd-check-\(UInt32.random(in: 0 ... .max))",
            username: configuration.mqtt.username,
            password: password
        )
        let text = "\(server)" + (server.tls ? ", TLS" : ", not encrypted")
        // Falls back to MQTT 3.1.1 as the agent does.
        var fallback = VersionFallback()
        while true {
            options.version = fallback.version
            do throws(MQTTError) {
                return (try await Self.result(options, configuration, text), false)
            } catch {
                fallback.ended(error)
                let isUnanswered = if case .closedUnanswered = error { true } else { false }
                guard options.version == .v5, isUnanswered || fallback.version == .v311 else {
                    let next = error.nextStep(.configuration, of: "\(server)")
                    let isRefused = [.refused(.badCredentials), .refused(.notAuthorized)].contains(error)
                    return (CheckResult("broker", .failed, "\(server): \(error)", next: next), isRefused)
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
        let timeout = Task {
            try await Task.sleep(for: options.connectTimeout + Self.timeout)
            // Ends the events.
            await connection.disconnect()
        }
        defer { timeout.cancel() }
        var trial = BrokerTrial(configuration, options)
        for await event in connection.events {
            switch event {
            case .connected:
                guard let trial else {
                    await connection.disconnect()
                    // Without a name the topics have the VIN, which is unknown here.
                    let unknown = "its permissions are not checked: without [vehicle] name the topics are unknown"
                    return CheckResult("broker", .ok, "\(text); \(unknown)")
                }
                _ = try connection.subscribe([(TopicFilter(trial.commands), .atLeastOnce)], retainAsPublished: true)
            case .subscribed(_, let grants):
                trial?.refusesCommands = grants.contains { if case .refused = $0 { true } else { false } }
                if let trial { _ = try connection.publish(trial.message) }
            case .acknowledged, .rejected:
                await connection.disconnect()
                let refusal: UInt8? = if case .rejected(_, let code) = event { code } else { nil }
                if let trial { return trial.result(refusal.map { .refused(code: $0) } ?? .acknowledged, text) }
            case .unsubscribed:
                break
            case .disconnected(let error):
                guard let trial, trial.refusesCommands != nil else { throw error }
                return trial.result(.lost(error), text)
            }
        }
        throw .notConnected
    }
}
