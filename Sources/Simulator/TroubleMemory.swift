// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// The codes and freeze frames of the ECUs, and the counters since the last clear.
struct TroubleMemory: Sendable {
    var confirmed: [DTC]
    var pending: [DTC]
    var permanent: [DTC]
    /// The ECUs of the vehicle.
    ///
    /// Each stores its own codes.
    let ecus: [ECU]
    /// The freeze frame of each ECU: the code that stored it, and the state of the vehicle.
    private(set) var freezeFrames: [ECU: (code: DTC, state: VehicleState)] = [:]
    /// The counters at ``mark``: km, minutes and warm-ups since the last clear.
    private var distance = 1830.0
    private var minutes = 2740.0
    private var warmUps = 61
    private var wereMonitorsReset = false
    /// The state of the vehicle when the counters were set.
    private var mark: VehicleState
    /// The state of the vehicle when the MIL came on, and the km and minutes with the MIL on until then.
    private var mil: (mark: VehicleState, distance: Double, minutes: Double)?

    init(
        _ ecus: [ECU],
        confirmed: [DTC],
        pending: [DTC],
        permanent: [DTC],
        mark: VehicleState,
        frame: VehicleState
    ) {
        self.ecus = ecus
        self.confirmed = confirmed
        self.pending = pending
        self.permanent = permanent
        self.mark = mark
        if !confirmed.isEmpty { self.mil = (mark, 27, 41) }
        for code in confirmed { self.keepFrame(code, frame) }
    }

    /// Returns the codes among `codes` that `ecu` stores.
    func codes(_ codes: [DTC], storedBy ecu: ECU) -> [DTC] {
        codes.filter { ECU.owner(of: $0, among: self.ecus) == ecu }
    }

    /// Stores a freeze frame.
    ///
    /// Each ECU keeps only the frame of its first code.
    private mutating func keepFrame(_ code: DTC, _ state: VehicleState) {
        let ecu = ECU.owner(of: code, among: self.ecus)
        if self.freezeFrames[ecu] == nil { self.freezeFrames[ecu] = (code, state) }
    }

    var isMILOn: Bool { self.mil != nil }

    /// Confirms a malfunction.
    mutating func confirm(_ code: DTC, _ state: VehicleState) {
        guard !self.confirmed.contains(code) else { return }
        self.confirmed.append(code)
        self.pending.removeAll { $0 == code }
        self.keepFrame(code, state)
        if self.mil == nil { self.mil = (state, 0, 0) }
    }

    /// Clears everything in these ECUs but the permanent codes (SAE J1979, service 04).
    ///
    /// Only the first ECU resets the counters.
    mutating func clear(_ state: VehicleState, of ecus: Set<ECU>) {
        let all = self.ecus
        self.confirmed.removeAll { ecus.contains(ECU.owner(of: $0, among: all)) }
        self.pending.removeAll { ecus.contains(ECU.owner(of: $0, among: all)) }
        self.freezeFrames = self.freezeFrames.filter { !ecus.contains($0.key) }
        if self.confirmed.isEmpty { self.mil = nil }
        guard let first = all.first, ecus.contains(first) else { return }
        self.distance = 0
        self.minutes = 0
        self.warmUps = 0
        self.wereMonitorsReset = true
        self.mark = state
    }

    func distanceSinceClear(_ state: VehicleState) -> Double { self.distance + state.odometer - self.mark.odometer }

    func minutesSinceClear(_ state: VehicleState) -> Double {
        self.minutes + (state.totalRunTime - self.mark.totalRunTime) / 60
    }

    /// Returns the number of warm-ups since the last clear.
    ///
    /// At most 255 trips are examined: PID 30 counts no further.
    func warmUpsSinceClear(_ state: VehicleState, _ isWarmUp: (Int) -> Bool) -> Int {
        let trips = self.mark.trip..<max(self.mark.trip, state.trip)
        return self.warmUps + trips.prefix(255).count(where: isWarmUp)
    }

    func distanceWithMIL(_ state: VehicleState) -> Double {
        self.mil.map { $0.distance + state.odometer - $0.mark.odometer } ?? 0
    }

    func minutesWithMIL(_ state: VehicleState) -> Double {
        self.mil.map { $0.minutes + (state.totalRunTime - $0.mark.totalRunTime) / 60 } ?? 0
    }

    /// Returns PID 01 of `ecu`.
    func status(of ecu: ECU, _ state: VehicleState) -> MonitorStatus {
        self.status(
            of: ecu,
            codes: self.codes(self.confirmed, storedBy: ecu).count,
            mil: self.isMILOn,
            after: self.runTimeSinceClear(state)
        )
    }

    /// Whether `monitor` has finished since the codes were cleared.
    func hasFinished(_ monitor: Monitor, _ state: VehicleState) -> Bool {
        self.runTimeSinceClear(state) >= Self.monitorTimes[monitor] ?? 0
    }

    /// Returns the run time since the last clear in seconds; infinity if the codes were never cleared.
    private func runTimeSinceClear(_ state: VehicleState) -> Double {
        self.wereMonitorsReset ? state.totalRunTime - self.mark.totalRunTime : .infinity
    }

    /// Returns PID 41 of `ecu`.
    func cycleStatus(of ecu: ECU = .engine, _ state: VehicleState) -> MonitorStatus {
        self.status(of: ecu, codes: 0, mil: false, after: state.runTime)
    }

    private func status(of ecu: ECU, codes: Int, mil: Bool, after runTime: Double) -> MonitorStatus {
        guard ecu == .engine else {
            return MonitorStatus(mil: false, codeCount: codes, ignition: .spark, supported: [], incomplete: [])
        }
        return MonitorStatus(
            mil: mil,
            codeCount: codes,
            ignition: .spark,
            supported: Set(Self.monitorTimes.keys),
            incomplete: Set(Self.monitorTimes.filter { $0.value > runTime }.keys)
        )
    }

    /// The run time of the engine in seconds after which each monitor has finished.
    private static let monitorTimes: [Monitor: Double] = [
        .misfire: 20, .fuelSystem: 60, .components: 5, .oxygenSensorHeater: 90, .oxygenSensor: 300,
        .exhaustGasRecirculation: 420, .catalyst: 600, .evaporativeSystem: 1500,
    ]
}
