// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract

/// The payload of a retained topic.
package enum LivePayload: Sendable {
    case parameter(ParameterReport)
    case status(AgentStatus)
    case vehicle(VehicleReport)
    case codes(CodesReport)
    case monitors(MonitorsReport)
    case position(PositionReport)
    /// Nothing: the broker forgets the payload of the topic.
    case withdrawn
    case trip(TripState)
    case limits(LimitsReport)
    case finding(Finding)

    /// Returns the payload as it is published at a time: it may have waited for its turn.
    func told(at now: MonotonicTime) -> LivePayload {
        if case .position(let report) = self { .position(report.told(at: now)) } else { self }
    }

    /// Whether this differs from an earlier payload in more than times and counters.
    func isNews(after earlier: LivePayload) -> Bool {
        switch (self, earlier) {
        case (.parameter(let newer), .parameter(let earlier)):
            return newer.differsSignificantly(from: earlier)
        case (.status(let newer), .status(var earlier)):
            earlier.time = newer.time
            if earlier.vehicleSeen != nil { earlier.vehicleSeen = newer.vehicleSeen }
            // The signs of a running engine change at each traffic light.
            if earlier.ignition == newer.ignition { earlier.ignitionEvidence = newer.ignitionEvidence }
            earlier.requests = newer.requests
            earlier.adapter.voltage = newer.adapter.voltage
            earlier.adapter.rssi = newer.adapter.rssi
            if let controller = newer.adapter.can {
                earlier.adapter.can?.transmitErrors = controller.transmitErrors
                earlier.adapter.can?.receiveErrors = controller.receiveErrors
                earlier.adapter.can?.errorFrames = controller.errorFrames
            }
            earlier.battery?.voltage = newer.battery?.voltage
            earlier.battery?.time = newer.battery?.time
            if let time = newer.lastProblem?.time { earlier.lastProblem?.time = time }
            earlier.machine?.cpuTemperature = newer.machine?.cpuTemperature
            earlier.outbox = newer.outbox
            earlier.acknowledged = newer.acknowledged
            earlier.store.bytes = newer.store.bytes
            earlier.dropped = newer.dropped
            earlier.sentToday = newer.sentToday
            return newer != earlier
        case (.vehicle(let newer), .vehicle(var earlier)):
            earlier.time = newer.time
            return newer != earlier
        case (.codes(let newer), .codes(var earlier)):
            earlier.time = newer.time
            return newer != earlier
        case (.monitors(let newer), .monitors(var earlier)):
            earlier.time = newer.time
            return newer != earlier
        case (.trip(let newer), .trip(var earlier)):
            earlier.time = newer.time
            return newer != earlier
        case (.limits(let newer), .limits(var earlier)):
            earlier.time = newer.time
            return newer != earlier
        case (.position(let newer), .position(let earlier)):
            return newer.differsSignificantly(from: earlier)
        case (.withdrawn, .withdrawn):
            return false
        case (.finding(let newer), .finding(let earlier)):
            return newer != earlier
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
        case .trip(let payload): try PayloadEncoder.bytes(of: payload)
        case .limits(let payload): try PayloadEncoder.bytes(of: payload)
        case .position(let payload): try PayloadEncoder.bytes(of: payload)
        case .withdrawn: []
        case .finding(let payload): try PayloadEncoder.bytes(of: payload)
        }
    }

    /// Whether the broker must acknowledge the payload.
    ///
    /// Parameter values need no acknowledgement: newer ones follow.
    var isAcknowledged: Bool {
        if case .parameter = self { false } else { true }
    }
}
