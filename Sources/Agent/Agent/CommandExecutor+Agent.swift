// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Contract
import EventLoop
import OBD2
import Session
import Store
import Uplink

extension CommandExecutor {
    /// Connects an executor to the vehicle, the journal and the uplink.
    ///
    /// - Throws: ``AgentError`` if the file of trusted keys cannot be used.
    static func assemble(
        _ context: AgentContext,
        access: VehicleBridge,
        journal: StoredJournal,
        uplink: Uplink,
        _ reporting: ReportingParts
    ) throws(AgentError) -> CommandExecutor {
        let (configuration, identity) = (context.configuration, context.identity)
        let (reporter, vehicle) = (reporting.reporter, reporting.vehicle)
        let keys = try configuration.commands.trustedKeys.map { path throws(AgentError) in
            try TrustedKeysFile(path, logger: context.logger)
        }
        return CommandExecutor(
            CommandGuard(configuration.commands),
            rules: CommandRules(configuration.commands),
            access: access,
            journal: journal,
            host: CommandHost(
                known: { KnownNames(custom: vehicle.known.names, derived: vehicle.known.derivedNames) },
                description: ["agent": .string(identity.agent), "version": .string(identity.version)],
                keys: { keys?.keys ?? .none },
                identify: { vehicle.addressee },
                messageDropped: { await reporter.commandDropped() },
                delayOfStranger: { await uplink.delayOfStranger() },
                delayOfResend: { await uplink.delayOfResend() },
                respond: { response, message, vehicle in
                    await uplink.record(response, to: message, vehicle: vehicle)
                }
            ),
            clock: context.clock,
            logger: context.logger
        )
    }
}
