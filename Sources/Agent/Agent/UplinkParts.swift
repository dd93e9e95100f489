// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import EventLoop
import MQTT
import Store
import Uplink

/// The connection to the broker, and the files that it depends on.
struct UplinkParts: Sendable {
    let uplink: Uplink
    let credentialFiles: CredentialFiles

    /// - Throws: ``AgentError`` if the password file cannot be used.
    init(_ context: AgentContext, _ opened: OpenedStore) throws {
        let (configuration, surroundings) = (context.configuration, context.surroundings)
        self.credentialFiles = CredentialFiles(configuration.mqtt)
        var options = try UplinkOptions(configuration, surroundings.machine, self.credentialFiles)
        if let directory = surroundings.runtimeDirectory {
            let mark = ConnectionMark(directory: directory, boot: surroundings.machine.boot)
            options.followsCrash = mark.exists
            mark.set(false)
            options.markConnecting = { mark.set($0) }
        }
        self.uplink = try Uplink(
            options,
            vehicle: opened.vehicle.vehicle,
            earlier: opened.traffic,
            store: opened.store,
            clock: context.clock,
            logger: context.logger,
            connect: surroundings.connect
        )
        surroundings.logContext.note(adapter: context.identity.adapterAddress)
        surroundings.logContext.note(vehicle: opened.vehicle.vehicle)
    }
}
