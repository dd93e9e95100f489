// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The state of the ignition, as far as the agent can tell.
package enum IgnitionState: String, CaseIterable, Hashable, Sendable {
    /// The engine runs, the vehicle moves, or its drive is enabled.
    case running
    /// ECUs answer, and nothing shows a drive: the key is on, or a gateway stays awake.
    case on
    /// The traction battery is charged from outside, and the vehicle stands.
    case charging
    /// No ECU answers.
    case off
    /// No ECU was asked, or the voltage has changed since the last answer.
    case unknown
}

/// A fact on which the state of the ignition rests.
package enum IgnitionEvidence: String, CaseIterable, Hashable, Sendable {
    case engineSpeed = "engine_speed"
    case vehicleSpeed = "vehicle_speed"
    case ready
    case charging
    /// The supply voltage shows that an alternator or a DC-DC converter carries the load.
    case supplyVoltage = "supply_voltage"
    /// Values of the vehicle change.
    case changingValues = "changing_values"
    /// ECUs answer, and nothing else is known.
    case replies

    init(_ kind: UseSign.Kind) {
        switch kind {
        case .engineSpeed: self = .engineSpeed
        case .vehicleSpeed: self = .vehicleSpeed
        case .ready: self = .ready
        case .charging: self = .charging
        }
    }
}

/// Infers the ignition from the signs of the ECUs, their replies, and the supply voltage.
///
/// Engine speed, vehicle speed and `ready` decide. A vehicle that reports none of them is judged by its values and its
/// supply voltage: it counts as running while values change and a DC-DC converter carries the load.
package struct IgnitionWatch: Sendable {
    package private(set) var state = IgnitionState.unknown
    /// The facts on which the state rests, in the order of their weight.
    package private(set) var evidence: [IgnitionEvidence] = []
    /// The supply voltage.
    package private(set) var supply: SupplyWatch
    /// The time after which a sign no longer counts.
    private static let lifetime = Duration.seconds(90)
    /// The time after which a change of a value no longer counts: while a converter carries the load, and otherwise.
    private static let changeLifetime = (withConverter: Duration.seconds(600), alone: Duration.seconds(90))
    /// The time without a change of any value after which a sign of a charge no longer counts: it is stuck.
    private static let longestCharge = Duration.seconds(12 * 3600)
    private let chargingLifetime: Duration
    /// The last signs.
    private var signs: [UseSign.Source: (isSet: Bool, time: MonotonicTime)] = [:]
    private var lastChange: MonotonicTime?
    /// The begin of the present charge, as far as its sign was received.
    private var chargingSince: MonotonicTime?

    package init(_ policy: ParkingPolicy) {
        self.supply = SupplyWatch(policy)
        self.chargingLifetime = max(Self.lifetime, policy.chargingInterval * 3)
    }

    /// Whether a sign of a drive was received: an engine speed, a vehicle speed, or `ready`.
    ///
    /// Without one the evidence is thin.
    package var hasSignOfDriving: Bool { self.signs.keys.contains { $0.kind.showsDriving } }

    /// Whether a vehicle in which nothing turns may be ready to drive off: a converter carries the load, and no value
    /// says that the vehicle is not ready.
    var mayBeReady: Bool { self.supply.showsConverter == true && !self.signs.keys.contains { $0.kind == .ready } }

    // MARK: - Replies

    /// Takes over a sign that an ECU has reported in the value `name`.
    package mutating func signReceived(_ sign: UseSign, from name: String, at now: MonotonicTime) {
        self.signs[UseSign.Source(sign.kind, name)] = (sign.isSet, now)
        self.chargingSince = self.isSet(.charging, at: now) ? self.chargingSince ?? now : nil
        self.judge(at: now)
    }

    /// Notes that a value of the vehicle differs from its last reading, or is the first one.
    package mutating func valueChanged(at now: MonotonicTime) {
        self.lastChange = now
        self.judge(at: now)
    }

    /// Notes that an ECU has answered a request.
    package mutating func vehicleAnswered() {
        guard self.state != .running, self.state != .charging else { return }
        self.state = .on
        if self.evidence.isEmpty { self.evidence = [.replies] }
    }

    /// Returns the time of the last sign of this source.
    package func lastSign(_ source: UseSign.Source) -> MonotonicTime? { self.signs[source]?.time }

    private func isSet(_ kind: UseSign.Kind, at now: MonotonicTime) -> Bool {
        let lifetime = kind == .charging ? self.chargingLifetime : Self.lifetime
        return self.signs.contains { $0.key.kind == kind && $0.value.isSet && now - $0.value.time < lifetime }
    }

    private mutating func judge(at now: MonotonicTime) {
        let driving = UseSign.Kind.allCases.filter { $0.showsDriving && self.isSet($0, at: now) }
        let seemsToDrive = !self.hasSignOfDriving && self.seemsToDrive(at: now)
        let drives = !driving.isEmpty || seemsToDrive
        if drives, self.state != .running { self.supply.engineStarted() }
        if !driving.isEmpty {
            (self.state, self.evidence) = (.running, driving.map(IgnitionEvidence.init))
        } else if seemsToDrive {
            let supply = self.supply.showsConverter == true ? [IgnitionEvidence.supplyVoltage] : []
            (self.state, self.evidence) = (.running, supply + [.changingValues])
        } else if self.isSet(.charging, at: now), !self.isChargeStuck(at: now) {
            (self.state, self.evidence) = (.charging, [.charging])
        } else {
            let known = UseSign.Kind.allCases.filter { kind in self.signs.keys.contains { $0.kind == kind } }
            (self.state, self.evidence) = (.on, known.isEmpty ? [.replies] : known.map(IgnitionEvidence.init))
        }
    }

    private func isChargeStuck(at now: MonotonicTime) -> Bool {
        guard let chargingSince else { return false }
        return now - max(chargingSince, self.lastChange ?? chargingSince) >= Self.longestCharge
    }

    /// Whether a vehicle without any sign of a drive seems to drive: values change, and a converter carries the load.
    ///
    /// If the voltage does not tell, the values alone decide.
    private func seemsToDrive(at now: MonotonicTime) -> Bool {
        guard !self.isSet(.charging, at: now), let lastChange else { return false }
        return switch self.supply.showsConverter {
        case true: now - lastChange < Self.changeLifetime.withConverter
        case false: false
        case nil: now - lastChange < Self.changeLifetime.alone
        }
    }

    // MARK: - Silence

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
        self.signs = [:]
        self.lastChange = nil
        self.chargingSince = nil
        self.evidence = []
        self.supply.endRest()
    }

    // MARK: - The supply voltage

    /// Takes over a voltage reading of a session.
    package mutating func voltageRead(_ volts: Double, at now: MonotonicTime) {
        self.supply.voltageRead(volts, isRunning: self.state == .running, at: now)
        switch self.state {
        case .running, .on, .charging: self.judge(at: now)
        case .off, .unknown: break
        }
    }

    /// Takes over the voltage reading of the adapter's start-up.
    package mutating func connectionVoltageRead(_ volts: Double, at now: MonotonicTime) {
        self.supply.connectionVoltageRead(volts, at: now)
    }

    /// Judges the voltage reading right before the bus is used.
    ///
    /// - Returns: whether the voltage is too low to use the bus.
    package mutating func startVoltageRead(_ volts: Double) -> Bool { self.supply.startVoltageRead(volts) }

    /// Takes over voltage readings of a resting vehicle.
    package mutating func restingVoltageRead(_ readings: [Double], at now: MonotonicTime) -> SupplyWatch.RestingAction {
        let action = self.supply.restingVoltageRead(readings, at: now)
        if action == .changed || action == .dipped { (self.state, self.evidence) = (.unknown, []) }
        return action
    }
}
