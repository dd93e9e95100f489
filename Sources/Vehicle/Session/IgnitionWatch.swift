// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Whether a vehicle is in use, as far as anybody knows.
package enum IgnitionState: String, CaseIterable, Hashable, Sendable {
    /// The engine runs, or the vehicle moves.
    case running
    /// ECUs answer, and nothing turns: the key is on, or a gateway stays awake.
    case on
    /// No ECU answers.
    case off
    /// Nobody has asked, or something has changed since.
    case unknown
}

/// Infers the ignition from engine speed, replies, and what the adapter's voltage does.
package struct IgnitionWatch: Sendable {
    package private(set) var state = IgnitionState.unknown
    /// What the voltage tells.
    package private(set) var supply: SupplyWatch
    /// For so long a speed counts that was not heard again.
    private static let memory = Duration.seconds(90)
    /// What turned when it was asked last: rpm of the engine, and km/h.
    private var engineSpeed = (value: 0.0, time: MonotonicTime?.none)
    private var vehicleSpeed = (value: 0.0, time: MonotonicTime?.none)

    package init(_ policy: ParkingPolicy) {
        self.supply = SupplyWatch(policy)
    }

    package enum Speed: Hashable, Sendable {
        /// rpm.
        case engine(Double)
        /// km/h.
        case vehicle(Double)
    }

    package enum HeardAction: Hashable, Sendable {
        case same
        /// The state is another one.
        case changed
        /// It runs now, and did not before.
        case started
    }

    /// An ECU has told a speed.
    package mutating func heard(_ speed: Speed, at now: MonotonicTime) -> HeardAction {
        switch speed {
        case .engine(let rpm): self.engineSpeed = (rpm, now)
        case .vehicle(let kilometres): self.vehicleSpeed = (kilometres, now)
        }
        let moves = [self.engineSpeed, self.vehicleSpeed].contains { speed in
            speed.value > 0 && speed.time.map { now - $0 < Self.memory } ?? false
        }
        let before = self.state
        self.state = moves ? .running : .on
        guard before != self.state else { return .same }
        guard moves else { return .changed }
        self.supply.engineStarted()
        return .started
    }

    /// An ECU answers, whatever it says.
    package mutating func answered() {
        if self.state != .running { self.state = .on }
    }

    /// When the engine's speed, or else the vehicle's, was heard last.
    package func lastSpeed(ofEngine: Bool) -> MonotonicTime? {
        ofEngine ? self.engineSpeed.time : self.vehicleSpeed.time
    }

    /// No ECU answers any more.
    package mutating func fellSilent() {
        self.stop()
        self.state = .off
    }

    /// Nobody can tell any more.
    package mutating func lost() {
        self.stop()
        self.state = .unknown
    }

    /// The vehicle rests from now on, at the voltage that was read last.
    package mutating func rest() { self.supply.settle() }

    private mutating func stop() {
        (self.engineSpeed, self.vehicleSpeed) = ((0, nil), (0, nil))
        self.supply.unsettle()
    }

    /// The adapter was asked for its voltage in a session.
    package mutating func measured(_ volts: Double, at now: MonotonicTime) {
        self.supply.measured(volts, isRunning: self.state == .running, at: now)
    }

    /// The adapter was asked for its voltage on the way to the bus.
    ///
    /// - Returns: whether it is too low to go on.
    package mutating func began(_ volts: Double) -> Bool { self.supply.began(volts) }

    /// The voltage of a resting vehicle was read.
    package mutating func looked(_ readings: [Double], at now: MonotonicTime) -> SupplyWatch.LookedAction {
        let action = self.supply.looked(readings, at: now)
        if action == .changed || action == .dipped { self.state = .unknown }
        return action
    }
}
