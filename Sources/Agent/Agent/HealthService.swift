// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Logging
import ServiceLifecycle
import Systemd
import Base

/// Tells systemd how the agent is: that it has started, a sentence about it, and that all of its parts work.
struct HealthService: ServiceLifecycle.Service {
    /// A part of the agent, and how to ask it.
    struct Part: Sendable {
        let name: String
        /// Whether it gets on with its work.
        ///
        /// To be given the time that it may have done nothing. It may not return at all: then it is stuck.
        let isWell: @Sendable (Duration) async -> Bool
    }

    /// How often the parts are asked at least, and what is told is looked at.
    private static let interval = Duration.seconds(10)
    /// How often they are asked until all have answered for the first time.
    private static let startInterval = Duration.milliseconds(50)
    /// Without a watchdog: how long a part may take to answer.
    private static let patience = Duration.seconds(30)

    let manager: ServiceManager
    let parts: [Part]
    /// How the agent is, in a sentence; it must not wait for anybody.
    let sentence: @Sendable () -> String
    let clock: any MonotonicClock
    let logger: Logger

    private final class State: Sendable {
        let liveness: Locked<Liveness>
        init(_ liveness: Liveness) { self.liveness = Locked(liveness) }
    }

    func run() async throws {
        // The half, so that one that comes back by itself is not killed for it at once.
        let patience = self.manager.watchdog.map { $0 / 2 } ?? Self.patience
        let interval = min(Self.interval, self.manager.watchdog.map { $0 / 6 } ?? Self.interval)
        let state = State(Liveness(parts: self.parts.map(\.name), patience: patience))
        await cancelWhenGracefulShutdown {
            // Who does not answer keeps nobody waiting: unstructured, at most one task for each part.
            var isReady = false
            var told: String?
            var stuckBefore: [String] = []
            while !Task.isCancelled {
                self.ask(state, patience)
                try? await self.clock.sleep(until: self.clock.now + (isReady ? interval : Self.startInterval))
                let now = self.clock.now
                let (stuck, isComplete) = state.liveness.withLock { ($0.stuck(at: now), $0.isComplete) }
                if stuck != stuckBefore {
                    self.report(stuck)
                    stuckBefore = stuck
                }
                guard stuck.isEmpty else {
                    self.tell(&told, "Stuck: \(stuck.joined(separator: ", ")); systemd will start the agent again")
                    continue
                }
                if !isReady, isComplete {
                    isReady = true
                    self.manager.notify(.ready)
                }
                if isReady { self.manager.notify(.alive) }
                if isComplete { self.tell(&told, self.sentence()) }
            }
        }
        self.manager.notify(.stopping, .status("Stopping"))
    }

    private func ask(_ state: State, _ patience: Duration) {
        let due = state.liveness.withLock { $0.look(at: self.clock.now) }
        for part in self.parts where due.contains(part.name) {
            Task {
                let isWell = await part.isWell(patience)
                state.liveness.withLock { $0.answered(part.name, isWell: isWell) }
            }
        }
    }

    private func tell(_ told: inout String?, _ sentence: String) {
        guard sentence != told else { return }
        told = sentence
        self.manager.notify(.status(sentence))
    }

    private func report(_ stuck: [String]) {
        if stuck.isEmpty {
            self.logger.notice("All parts of the agent work again")
        } else {
            self.logger.error("A part of the agent is stuck", metadata: ["parts": "\(stuck.joined(separator: " "))"])
        }
    }
}
