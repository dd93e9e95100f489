// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// Counts successive requests without an answer, and decides when the vehicle is gone.
///
/// After ``limit`` of them PID 01 is requested. The vehicle is gone if PID 01 is not answered either. A vehicle without
/// any standard service is gone after twice as many requests to its ECUs.
struct SilenceWatch: Sendable {
    /// The number of successive requests without an answer after which PID 01 is requested.
    static let limit = 4

    /// Whether some ECU answers requests to all ECUs.
    let hasStandardServices: Bool
    private var count = 0

    init(_ dialect: Dialect) { self.hasStandardServices = dialect.hasStandardServices }

    /// Whether the limit is reached.
    var isLong: Bool { self.count >= Self.limit }

    enum Action: Hashable, Sendable {
        case proceed
        /// Request PID 01 next.
        case askMonitorStatus
        case vehicleGone
    }

    /// Resets the count, because an ECU has answered.
    mutating func ended() { self.count = 0 }

    /// Counts a question that no ECU has answered.
    ///
    /// - Parameter isInDoubt: whether the identity of the vehicle is in doubt.
    mutating func noAnswer(to question: SessionAgenda.Question, isInDoubt: Bool) -> Action {
        switch question {
        case .errand(.monitorStatus):
            self.count += 1
            return self.count > Self.limit ? .vehicleGone : .proceed
        // The silence of one ECU says nothing about the vehicle.
        case .poll where !self.hasStandardServices, .errand(.addressedVIN) where !self.hasStandardServices:
            self.count += 1
            return self.count >= 2 * Self.limit ? .vehicleGone : .proceed
        case .poll(let item): return item.destination == nil ? self.add() : .proceed
        case .pids: return self.add()
        case .errand(.identityProof), .errand(.addressedVIN): return isInDoubt ? self.add() : .proceed
        // A vehicle need not answer these.
        case .errand(.supportedPIDs), .errand(.maxima), .errand(.vin), .errand(.information), .errand(.codes),
            .errand(.freezeFrame), .errand(.readiness), .errand(.ungroupedCodes),
            .errand(.tests), .errand(.settingsProof):
            return .proceed
        }
    }

    private mutating func add() -> Action {
        self.count += 1
        return self.count == Self.limit ? .askMonitorStatus : .proceed
    }
}
