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
    /// The mark of a running process; nil without a runtime directory.
    let runMark: RunMark?

    /// - Throws: ``AgentError`` if the password file cannot be used.
    init(_ context: AgentContext, _ opened: OpenedStore) throws {
        let (configuration, surroundings) = (context.configuration, context.surroundings)
        self.credentialFiles = CredentialFiles(configuration.mqtt)
        self.runMark = surroundings.runtimeDirectory.map {
            RunMark(directory: $0, boot: surroundings.machine.boot)
        }
        var options = try UplinkOptions(configuration, surroundings.machine, self.credentialFiles)
        options.followsCrash = self.runMark?.begin() ?? false
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
