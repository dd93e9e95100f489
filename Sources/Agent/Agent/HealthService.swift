// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Logging
import Systemd

/// Reports to systemd that the agent has started, a sentence about its state, and that all of its parts work.
struct HealthService: Service {
    /// A part of the agent, and the probe that shows whether it works.
    struct Part: Sendable {
        let name: String
        /// Returns whether the part makes progress, given the longest time without any.
        ///
        /// A stuck part may never return.
        let isWell: @Sendable (Duration) async -> Bool
    }

    /// The longest time between two probes, and between two updates of the sentence.
    private static let interval = Duration.seconds(10)
    /// The time between two probes until all parts have replied once.
    private static let startInterval = Duration.milliseconds(50)
    /// The timeout of a reply where systemd sets no watchdog.
    private static let timeout = Duration.seconds(30)

    let manager: ServiceManager
    let parts: [Part]
    /// Returns the state of the agent in a sentence, without waiting.
    let sentence: @Sendable () -> String
    /// Writes the state of the parts into the health file, without waiting for any of them.
    let writeHealth: @Sendable () -> Void
    let clock: any MonotonicClock
    let logger: Logger

    private final class State: Sendable {
        let liveness: Locked<Liveness>
        init(_ liveness: Liveness) { self.liveness = Locked(liveness) }
    }

    func run(until stop: StopRequest) async {
        // Half of the watchdog's time, so that a part may recover before systemd kills the process.
        let timeout = self.manager.watchdog.map { $0 / 2 } ?? Self.timeout
        let interval = min(Self.interval, self.manager.watchdog.map { $0 / 6 } ?? Self.interval)
        let state = State(Liveness(parts: self.parts.map(\.name), timeout: timeout))
        await stop.cancelling {
            var isReady = false
            var published: String?
            var stuckBefore: [String] = []
            while !Task.isCancelled {
                self.probe(state, timeout)
                try? await self.clock.sleep(until: self.clock.now + (isReady ? interval : Self.startInterval))
                let now = self.clock.now
                let (stuck, isComplete) = state.liveness.withLock { ($0.stuck(at: now), $0.isComplete) }
                if stuck != stuckBefore {
                    self.report(stuck)
                    stuckBefore = stuck
                }
                guard stuck.isEmpty else {
                    self.publish(
                        "Stuck: \(stuck.joined(separator: ", ")); systemd will restart the agent",
                        &published
                    )
                    continue
                }
                if !isReady, isComplete {
                    isReady = true
                    self.manager.notify(.ready)
                }
                if isReady { self.manager.notify(.alive) }
                if isComplete {
                    self.publish(self.sentence(), &published)
                    self.writeHealth()
                }
            }
        }
        self.manager.notify(.stopping, .status("Stopping"))
    }

    /// Probes the parts in unstructured tasks, at most one for each part, so that a stuck part delays no other.
    private func probe(_ state: State, _ timeout: Duration) {
        let due = state.liveness.withLock { $0.startProbes(at: self.clock.now) }
        for part in self.parts where due.contains(part.name) {
            Task {
                let isWell = await part.isWell(timeout)
                state.liveness.withLock { $0.replyReceived(from: part.name, isWell: isWell) }
            }
        }
    }

    private func publish(_ sentence: String, _ published: inout String?) {
        guard sentence != published else { return }
        published = sentence
        self.manager.notify(.status(sentence))
    }

    private func report(_ stuck: [String]) {
        if stuck.isEmpty {
            self.logger.notice("All parts of the agent work again")
        } else {
            self.logger.error(
                "A part of the agent is stuck, so systemd will restart the agent if its watchdog is on",
                metadata: [
                    JournalEvent.metadataKey: "\(JournalEvent.partStuck.rawValue)",
                    "parts": "\(stuck.joined(separator: " "))",
                ]
            )
        }
    }
}
