// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The state of the ignition, as far as the agent can tell.
package enum IgnitionState: String, CaseIterable, Hashable, Sendable {
    /// The engine runs, or the vehicle moves.
    case running
    /// ECUs answer, and the engine does not run: the key is on, or a gateway stays awake.
    case on
    /// No ECU answers.
    case off
    /// No ECU was asked, or the voltage has changed since the last answer.
    case unknown
}

/// Infers the ignition from speeds, replies, and changes of the supply voltage.
package struct IgnitionWatch: Sendable {
    package private(set) var state = IgnitionState.unknown
    /// The supply voltage.
    package private(set) var supply: SupplyWatch
    /// The time after which a speed no longer counts.
    private static let speedLifetime = Duration.seconds(90)
    /// The last speeds: of the engine in rpm, and of the vehicle in km/h.
    private var engineSpeed = (value: 0.0, time: MonotonicTime?.none)
    private var vehicleSpeed = (value: 0.0, time: MonotonicTime?.none)

    package init(_ policy: ParkingPolicy) {
        self.supply = SupplyWatch(policy)
    }

    /// Takes over a speed that an ECU has reported.
    package mutating func speedReceived(_ speed: Speed, at now: MonotonicTime) {
        switch speed {
        case .engine(let rpm): self.engineSpeed = (rpm, now)
        case .vehicle(let kilometres): self.vehicleSpeed = (kilometres, now)
        }
        let moves = [self.engineSpeed, self.vehicleSpeed].contains { speed in
            speed.value > 0 && speed.time.map { now - $0 < Self.speedLifetime } ?? false
        }
        if moves, self.state != .running { self.supply.engineStarted() }
        self.state = moves ? .running : .on
    }

    /// Notes that an ECU has answered a request.
    package mutating func vehicleAnswered() {
        if self.state != .running { self.state = .on }
    }

    /// Returns the time of the last speed of the engine, or of the vehicle.
    package func lastSpeed(_ quantity: Speed.Quantity) -> MonotonicTime? {
        switch quantity {
        case .engine: self.engineSpeed.time
        case .vehicle: self.vehicleSpeed.time
        }
    }

    /// Notes that no ECU answers any more.
    package mutating func vehicleSilent() {
        self.stop()
        self.state = .off
    }

    /// Notes that the state is no longer known.
    package mutating func lost() {
        self.stop()
        self.state = .unknown
    }

    /// Notes that the vehicle rests from now on, at the last voltage.
    package mutating func rest() { self.supply.beginRest() }

    private mutating func stop() {
        (self.engineSpeed, self.vehicleSpeed) = ((0, nil), (0, nil))
        self.supply.endRest()
    }

    /// Takes over a voltage reading of a session.
    package mutating func voltageRead(_ volts: Double, at now: MonotonicTime) {
        self.supply.voltageRead(volts, isRunning: self.state == .running, at: now)
    }

    /// Takes over the voltage reading right before the bus is used.
    ///
    /// - Returns: whether the voltage is too low to use the bus.
    package mutating func startVoltageRead(_ volts: Double) -> Bool { self.supply.startVoltageRead(volts) }

    /// Takes over voltage readings of a resting vehicle.
    package mutating func restingVoltageRead(_ readings: [Double], at now: MonotonicTime) -> SupplyWatch.RestingAction {
        let action = self.supply.restingVoltageRead(readings, at: now)
        if action == .changed || action == .dipped { self.state = .unknown }
        return action
    }
}
