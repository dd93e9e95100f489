// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Configuration
import EventLoop
import Logging

@testable import Agent

/// A run of the whole agent, from its start to its end.
final class AgentProcess: Sendable {
    private struct State: Sendable {
        var isKilled = false
        var services: ServiceGroup?
        var task: Task<Void, any Error>?
    }

    private let state = Locked(State())

    /// Whether the process was killed, so that it must have no effect any more.
    var isKilled: Bool { self.state.withLock { $0.isKilled } }

    func start(_ configuration: Configuration, in surroundings: Surroundings, on time: VirtualTime) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let agent = try await Agent.prepare(configuration, in: surroundings, logger: logger)
        let services = agent.services(signals: [], renewals: [])
        let task = Task(executorPreference: time) { try await services.run() }
        self.state.withLock { ($0.services, $0.task) = (services, task) }
    }

    /// Stops the agent as SIGTERM does, and waits for its end.
    func stop() async {
        let (services, task) = self.state.withLock { ($0.services, $0.task) }
        services?.stop()
        try? await task?.value
    }

    /// Cuts the agent off from everything, in place of SIGKILL; its tasks run on for a moment.
    func kill() {
        let task = self.state.withLock { state in
            state.isKilled = true
            return state.task
        }
        task?.cancel()
    }
}
