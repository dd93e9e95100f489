// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The numbers of requests on a vehicle's bus, by the state of the vehicle.
///
/// They show whether the agent leaves a parked vehicle alone.
package struct RequestCount: Hashable, Sendable {
    /// A request that writes.
    package struct Write: Hashable, Sendable {
        package let time: MonotonicTime
        package let payload: [UInt8]
    }

    /// The number of times that each list of times keeps.
    private static let limit = 10_000
    private static let writeLimit = 100_000

    /// The requests while the engine ran, while only the ignition was on, and while the ignition was off.
    package private(set) var engineRunning = 0
    package private(set) var ignitionOn = 0
    package private(set) var ignitionOff = 0
    /// The times of the first 10,000 requests with the ignition off.
    package private(set) var ignitionOffTimes: [MonotonicTime] = []
    /// The times of the first 10,000 requests with the ignition off while the vehicle charged, while its ECUs were
    /// awake, and while they slept.
    package private(set) var chargingTimes: [MonotonicTime] = []
    package private(set) var awakeTimes: [MonotonicTime] = []
    package private(set) var asleepTimes: [MonotonicTime] = []
    /// The first 100,000 writing requests, including refused ones.
    package private(set) var writes: [Write] = []

    /// The requests with the ignition off while the vehicle charged, at most 10,000.
    package var charging: Int { self.chargingTimes.count }
    /// The requests with the ignition off while the ECUs were awake, at most 10,000.
    package var awake: Int { self.awakeTimes.count }
    /// The requests with the ignition off while the ECUs slept, at most 10,000.
    package var asleep: Int { self.asleepTimes.count }

    mutating func count(_ state: VehicleState, at time: MonotonicTime) {
        if state.engineRuns {
            self.engineRunning += 1
        } else if state.ignition {
            self.ignitionOn += 1
        } else {
            self.ignitionOff += 1
            Self.note(time, in: &self.ignitionOffTimes)
            if state.charging {
                Self.note(time, in: &self.chargingTimes)
            } else if state.isAwake {
                Self.note(time, in: &self.awakeTimes)
            } else {
                Self.note(time, in: &self.asleepTimes)
            }
        }
    }

    private static func note(_ time: MonotonicTime, in times: inout [MonotonicTime]) {
        if times.count < Self.limit { times.append(time) }
    }

    mutating func noteWrite(_ payload: [UInt8], at time: MonotonicTime) {
        if self.writes.count < Self.writeLimit { self.writes.append(Write(time: time, payload: payload)) }
    }
}
