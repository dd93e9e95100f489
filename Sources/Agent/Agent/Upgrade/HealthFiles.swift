// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import EventLoop

/// The health file in the runtime directory, and its copy beside the database, which outlives a boot.
///
/// A failed write is ignored: an upgrade that cannot be judged by a file is judged by whether the agent runs.
final class HealthFiles: Sendable {
    /// The name of the copy in the state directory.
    static let copyName = "obd-agent.health"

    private let runtimePath: String
    private let copyPath: String?
    private let clock: SystemClock
    private let ledger: Locked<HealthLedger>

    /// Returns nil without a runtime directory.
    init?(_ context: AgentContext) {
        guard let directory = context.surroundings.runtimeDirectory else { return nil }
        let stateDirectory = context.configuration.store.directory ?? context.surroundings.stateDirectory
        self.runtimePath = "\(directory)/\(KeptFile.health)"
        self.copyPath = stateDirectory.map { "\($0)/\(Self.copyName)" }
        self.clock = context.clock
        let upgrade = context.configuration.upgrade
        let now = context.clock.now
        let health = AgentHealth(
            version: context.identity.version,
            boot: context.surroundings.machine.boot,
            started: HealthLedger.seconds(now - .zero),
            at: HealthLedger.seconds(now - .zero),
            rollsBack: upgrade.rollsBack,
            within: HealthLedger.seconds(upgrade.within),
            keep: HealthLedger.seconds(upgrade.keep),
            parts: [:]
        )
        let former = self.copyPath.flatMap { TextFile.read($0) }.flatMap { AgentHealth($0) }
        self.ledger = Locked(HealthLedger(health, former: former, at: now))
    }

    /// Writes what the parts are like now, if that is due.
    func update(_ status: AgentStatus?, isOnline: Bool) {
        let (now, clock) = (self.clock.now, self.clock)
        let states = Dictionary(
            uniqueKeysWithValues: AgentHealth.Part.allCases.map { ($0, $0.state(status, isOnline: isOnline)) }
        )
        let action = self.ledger.withLock {
            $0.partsObserved(states, at: now, date: { clock.timestamp(of: $0) })
        }
        guard case .publish(let health, let isCopied) = action else { return }
        let bytes = Array(health.text.utf8)
        _ = TextFile.publish(bytes, at: self.runtimePath)
        if isCopied, let path = self.copyPath { _ = TextFile.writeAtomically(bytes, to: path) }
    }
}
