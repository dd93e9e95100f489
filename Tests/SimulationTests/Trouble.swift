// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FaultVFS
import MQTT

/// A fault that lasts for a while.
enum Trouble: CaseIterable, Sendable {
    case brokerAway
    case brokerSwallows
    case brokerNeverAcknowledges
    case brokerAcknowledgesLate
    case credentialsRefused
    case connectionCut
    case adapterUnplugged
    case carAsleep
    case vehicleSwapped
    case agentKilled
    case agentRestarted
    case powerCut
    case clockAhead
    case clockBehind
    case diskFull
    case diskReadOnly
    case diskBroken
    case databaseDamaged

    func begin(in world: World) async throws {
        switch self {
        case .brokerAway: world.broker.turn(.isAway)
        case .brokerSwallows: world.broker.turn(.swallows)
        case .brokerNeverAcknowledges: world.broker.turn(.keepsSilent)
        case .brokerAcknowledgesLate: world.broker.turn(.acknowledges(after: .seconds(20)))
        case .credentialsRefused: world.broker.turn(.refuses(.badCredentials))
        case .connectionCut: world.broker.cut()
        case .adapterUnplugged: world.unplug()
        case .carAsleep: world.park(true)
        case .vehicleSwapped: world.swapVehicle()
        case .agentKilled:
            try world.kill()
            try await world.start()
        case .agentRestarted:
            await world.stop()
            try await world.start()
        case .powerCut:
            try await world.cutPower(for: .seconds(60))
            try await world.start()
        case .clockAhead: world.set(.ahead)
        case .clockBehind: world.set(.behind)
        case .diskFull: world.disk(fault_vfs_full)
        case .diskReadOnly: world.disk(fault_vfs_read_only)
        case .diskBroken: world.disk(fault_vfs_broken)
        case .databaseDamaged:
            try world.kill()
            try world.corrupt()
            try await world.start()
        }
    }

    func end(in world: World) async throws {
        switch self {
        case .brokerAway, .brokerSwallows, .brokerNeverAcknowledges, .brokerAcknowledgesLate, .credentialsRefused:
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
        case .connectionCut: world.broker.cut()
        case .adapterUnplugged: world.plug()
        case .carAsleep: world.park(false)
        case .vehicleSwapped: world.swapVehicle()
        case .agentKilled, .agentRestarted, .powerCut, .databaseDamaged: try await self.begin(in: world)
        case .clockAhead, .clockBehind: world.set(.right)
        case .diskFull, .diskReadOnly, .diskBroken: world.disk(fault_vfs_works)
        }
    }
}
