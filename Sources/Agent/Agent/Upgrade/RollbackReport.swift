// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Store
import Uplink

/// Tells the broker once that an upgrade was rolled back.
///
/// The notice is a file that the agent may not remove. So the record of the event and its identity, by which it is not told
/// again, are written to the disk in one commit.
struct RollbackReport: Sendable {
    private let directory: String
    /// The agent's own topic level, under which the identity is kept too, in case the vehicle is another one next time.
    private let own: String
    private let vehicle: ConnectedVehicle
    private let uplink: Uplink
    private let store: Store
    private let told = Locked<String?>(nil)

    /// Returns nil if no notice is looked for.
    init?(_ context: AgentContext, _ vehicle: ConnectedVehicle, _ uplink: Uplink, _ store: Store) {
        guard let directory = context.surroundings.upgradeDirectory else { return nil }
        self.directory = directory
        self.own = context.naming.own
        (self.vehicle, self.uplink, self.store) = (vehicle, uplink, store)
    }

    /// Records the event, if there is a notice whose event is not recorded yet.
    func tellIfNew() async {
        guard let rollback = UpgradeRollback.left(in: self.directory),
            self.told.withLock({ $0 != rollback.id })
        else { return }
        let state = StoredState(.rollback, rollback.mark)
        for name in [self.vehicle.name, self.own] where await self.store.state(.rollback, of: name) == state.body {
            return self.told.withLock { $0 = rollback.id }
        }
        await self.uplink.record(rollback.event, with: state)
        await self.store.remember(state, of: self.own)
        self.told.withLock { $0 = rollback.id }
    }
}
