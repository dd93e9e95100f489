// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The payload of a retained topic.
package enum LivePayload: Sendable {
    case parameter(ParameterReport)
    case status(AgentStatus)
    case vehicle(VehicleReport)
    case codes(CodesReport)
    case monitors(MonitorsReport)
    case finding(Finding)

    /// Whether this says what `told` does not, whenever that was.
    func isNews(after told: LivePayload) -> Bool {
        switch (self, told) {
        case (.parameter(let newer), .parameter(let told)):
            return newer.differsSignificantly(from: told)
        case (.status(let newer), .status(var told)):
            told.time = newer.time
            if told.vehicleSeen != nil { told.vehicleSeen = newer.vehicleSeen }
            told.adapter.voltage = newer.adapter.voltage
            told.adapter.rssi = newer.adapter.rssi
            told.battery?.voltage = newer.battery?.voltage
            told.machine?.cpuTemperature = newer.machine?.cpuTemperature
            told.outbox = newer.outbox
            told.store.bytes = newer.store.bytes
            told.dropped = newer.dropped
            told.sentToday = newer.sentToday
            return newer != told
        case (.vehicle(let newer), .vehicle(var told)):
            told.time = newer.time
            return newer != told
        case (.codes(let newer), .codes(var told)):
            told.time = newer.time
            return newer != told
        case (.monitors(let newer), .monitors(var told)):
            told.time = newer.time
            return newer != told
        case (.finding(let newer), .finding(let told)):
            return newer != told
        default:
            return true
        }
    }

    func encoded() throws -> [UInt8] {
        switch self {
        case .parameter(let payload): try PayloadEncoder.bytes(of: payload)
        case .status(let payload): try PayloadEncoder.bytes(of: payload)
        case .vehicle(let payload): try PayloadEncoder.bytes(of: payload)
        case .codes(let payload): try PayloadEncoder.bytes(of: payload)
        case .monitors(let payload): try PayloadEncoder.bytes(of: payload)
        case .finding(let payload): try PayloadEncoder.bytes(of: payload)
        }
    }

    /// Values that come again by themselves are sent once; the rest must arrive.
    var isAcknowledged: Bool {
        if case .parameter = self { false } else { true }
    }
}
