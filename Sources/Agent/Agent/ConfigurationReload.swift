// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Commands
import Configuration
import EventLoop
import Logging
import OBD2
import Session
import Uplink

/// Takes over what may change in the configuration while the agent runs: `[parameters]` and `[commands]`, but for the
/// name of the file of keys.
struct ConfigurationReload: Sendable {
    /// What the agent goes by.
    private let current: Locked<Configuration>
    private let load: @Sendable () throws(ConfigurationError) -> Configuration
    private let selections: Selections
    private let session: Session
    private let uplink: Uplink
    private let executor: CommandExecutor
    private let announcer: Announcer
    private let logger: Logger

    init(
        _ configuration: Configuration,
        load: @escaping @Sendable () throws(ConfigurationError) -> Configuration,
        selections: Selections,
        session: Session,
        uplink: Uplink,
        executor: CommandExecutor,
        announcer: Announcer,
        logger: Logger
    ) {
        self.current = Locked(configuration)
        self.load = load
        self.selections = selections
        self.session = session
        self.uplink = uplink
        self.executor = executor
        self.announcer = announcer
        self.logger = logger
    }

    /// Reads the configuration; with a mistake in it, everything stays as it is.
    func perform() async {
        let new: Configuration
        do throws(ConfigurationError) {
            new = try self.load()
        } catch {
            self.logger.error("The configuration is not reloaded, and the one before goes on: \(error)")
            return
        }
        let old = self.current.withLock { $0 }
        let change = ConfigurationChange(from: old, to: new)
        self.current.withLock { $0 = change.result }
        if change.result.parameters != old.parameters {
            self.selections.configured.withLock { $0 = change.result.intervals }
            await self.session.adopt(await self.selections.selection(of: await self.uplink.vehicle))
            self.logger.notice("[parameters] is reloaded")
        }
        if change.result.commands != old.commands {
            await self.executor.adopt(CommandGuard(change.result.commands), CommandRules(change.result.commands))
            await self.announcer.offersClear(change.result.offersClearButton)
            self.logger.notice("[commands] is reloaded")
        }
        if !change.pending.isEmpty {
            let tables = change.pending.joined(separator: ", ")
            self.logger.warning("Other values in \(tables) count after a restart: systemctl restart obd-agent")
        }
    }
}

/// What becomes of a configuration when another one is read while the agent runs.
struct ConfigurationChange {
    /// What counts from now on.
    let result: Configuration
    /// The tables of which something counts after a restart only.
    let pending: [String]

    init(from old: Configuration, to new: Configuration) {
        var result = old
        // A parameter that is not known yet can't be read yet.
        let custom = Set(old.custom.map(\.name))
        result.parameters = new.parameters.filter {
            if case .custom(let name) = $0.key { custom.contains(name) } else { true }
        }
        result.commands = new.commands
        result.commands.trustedKeys = old.commands.trustedKeys
        self.result = result
        self.pending = [
            ("[vehicle]", old.vehicle != new.vehicle), ("[adapter]", old.adapter != new.adapter),
            ("[mqtt]", old.mqtt != new.mqtt), ("[custom]", old.custom != new.custom),
            ("[commands] trusted_keys", old.commands.trustedKeys != new.commands.trustedKeys),
            ("[clock]", old.clock != new.clock), ("[parking]", old.parking != new.parking),
            ("[power]", old.power != new.power), ("[store]", old.store != new.store),
            ("[uplink]", old.uplink != new.uplink), ("[home_assistant]", old.homeAssistant != new.homeAssistant),
        ].filter(\.1).map(\.0)
    }
}
