// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Drive
import EventLoop
import Logging
import OBD2
import Session

/// The reload of the configuration while the agent runs.
///
/// Changes of `[parameters]` and `[commands]` take effect at once, except for `trusted_keys` and `buttons`.
struct ConfigurationReload: Sendable {
    /// The configuration in effect.
    private let current: Locked<Configuration>
    private let load: @Sendable () throws(ConfigurationError) -> Configuration
    private let selections: Selections
    private let session: Session
    private let vehicle: ConnectedVehicle
    private let executor: CommandExecutor
    private let announcer: Announcer
    private let logger: Logger

    init(
        _ configuration: Configuration,
        load: @escaping @Sendable () throws(ConfigurationError) -> Configuration,
        selections: Selections,
        session: Session,
        vehicle: ConnectedVehicle,
        executor: CommandExecutor,
        announcer: Announcer,
        logger: Logger
    ) {
        self.current = Locked(configuration)
        self.load = load
        self.selections = selections
        self.session = session
        self.vehicle = vehicle
        self.executor = executor
        self.announcer = announcer
        self.logger = logger
    }

    /// Reads the configuration, and adopts its changes unless it has a mistake.
    func perform() async {
        let new: Configuration
        do throws(ConfigurationError) {
            new = try self.load()
        } catch {
            self.logger.error(
                "The configuration is not reloaded, so the previous one stays in effect: \(error)",
                metadata: [JournalEvent.metadataKey: "\(JournalEvent.notReloaded.rawValue)"]
            )
            return
        }
        let old = self.current.withLock { $0 }
        let change = ConfigurationChange(from: old, to: new)
        self.current.withLock { $0 = change.result }
        if change.result.parameters != old.parameters {
            self.selections.configured.withLock { $0 = change.result.intervals }
            await self.session.adopt(await self.selections.selection(of: self.vehicle.name))
            self.logger.notice("[parameters] was reloaded")
        }
        if change.result.commands != old.commands {
            await self.executor.adopt(CommandGuard(change.result.commands), CommandRules(change.result.commands))
            await self.announcer.offer(change.result.offeredButtons)
            self.logger.notice("[commands] was reloaded")
        }
        if !change.pending.isEmpty {
            let tables = change.pending.joined(separator: ", ")
            self.logger.warning("\(tables) changed. The change takes effect after: systemctl restart obd-agent")
        }
    }
}

/// The effect of another configuration that is read while the agent runs.
struct ConfigurationChange {
    /// The configuration in effect from now on.
    let result: Configuration
    /// The tables with changes that take effect only after a restart.
    let pending: [String]

    init(from old: Configuration, to new: Configuration) {
        var result = old
        // The session learns of new custom parameters only at its start.
        let custom = Set(old.custom.map(\.name))
        let derived = Set(old.computed.derived.map(\.name))
        result.parameters = new.parameters.filter {
            switch $0.key {
            case .pid: true
            case .custom(let name): custom.contains(name)
            case .derived(let name): derived.contains(name)
            }
        }
        result.commands = new.commands
        result.commands.trustedKeys = old.commands.trustedKeys
        result.commands.buttons = old.commands.buttons
        self.result = result
        // The key "sets" decides this, which is named by itself.
        var parking = old.parking
        parking.choosesCharging = new.parking.choosesCharging
        let tables: [(name: String, isChanged: Bool)] = [
            ("[vehicle]", old.vehicle != new.vehicle), ("[adapter]", old.adapter != new.adapter),
            ("[mqtt]", old.mqtt != new.mqtt), ("[custom]", old.custom != new.custom),
            ("[derived]", old.computed.derived != new.computed.derived),
            ("[limit]", old.computed.limits != new.computed.limits), ("[capture]", old.captures != new.captures),
            ("[parameters] sets", old.detectsSets != new.detectsSets),
            ("[parameters] catalog", old.catalog != new.catalog),
            ("[commands] trusted_keys", old.commands.trustedKeys != new.commands.trustedKeys),
            ("[commands] buttons", old.commands.buttons != new.commands.buttons),
            ("[clock]", old.clock != new.clock),
            ("[position]", old.position != new.position), ("[parking]", parking != new.parking),
            ("[power]", old.power != new.power), ("[store]", old.store != new.store),
            ("[uplink]", old.uplink != new.uplink), ("[trips]", old.trips != new.trips),
            ("[upgrade]", old.upgrade != new.upgrade), ("[home_assistant]", old.homeAssistant != new.homeAssistant),
        ]
        self.pending = tables.filter(\.isChanged).map(\.name)
    }
}
