// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Configuration
import Contract
import Drive
import EventLoop
import JOSE
import Logging

/// The configuration, the machine and the clock, from which every part of the agent is built.
struct AgentContext: Sendable {
    let configuration: Configuration
    let surroundings: Surroundings
    let clock: SystemClock
    let naming: VehicleNaming
    /// The places whose surroundings are never published.
    let zones: HomeZones
    let identity: AgentIdentity
    let logger: Logger

    /// - Throws: ``AgentError`` if the key of the vehicle hashes and zones cannot be used.
    init(_ configuration: Configuration, in surroundings: Surroundings, logger: Logger) throws(AgentError) {
        let machine = surroundings.machine
        self.configuration = configuration
        self.surroundings = surroundings
        self.logger = logger
        self.clock = SystemClock(
            trustsSystem: configuration.clock.trust == .system,
            boot: surroundings.clock,
            kernel: surroundings.kernel
        )
        let key = try NamingKey.bytes(
            for: configuration.vehicle.identity,
            hidesZones: !configuration.position.zones.isEmpty,
            in: configuration.store.directory ?? surroundings.stateDirectory,
            machine
        )
        self.naming = VehicleNaming(configuration.vehicle, machine, key: key)
        self.zones = HomeZones(configuration.position.zones) { zone in
            let place = "\(zone.center.latitude) \(zone.center.longitude) \(zone.radius)"
            return Digest.authenticationCode(of: Array("obd-agent zone \(place)".utf8), key: key)
        }
        self.identity = AgentIdentity(
            agent: machine.agent,
            version: AgentVersion.current,
            adapterAddress: surroundings.simulatedAdapter?.address ?? configuration.adapter.address.description,
            isSimulated: surroundings.simulatedAdapter != nil,
            sysfs: surroundings.sysfs
        )
    }
}

/// The facts about an agent that stay the same while it runs.
struct AgentIdentity: Sendable {
    var agent: String
    var version: String
    var adapterAddress: String
    var isSimulated: Bool
    /// The directory of the kernel's sysfs; nil if the agent does not report on the machine.
    var sysfs: String?
}
