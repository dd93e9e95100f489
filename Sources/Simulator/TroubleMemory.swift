// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import OBD2

/// What the ECUs remember about malfunctions, and what counts from the last clearing.
struct TroubleMemory: Sendable {
    var confirmed: [DTC]
    var pending: [DTC]
    var permanent: [DTC]
    /// The ECUs that there are; each keeps its own codes.
    let ecus: [ECU]
    /// The code that stored each ECU's freeze frame, and the moment that it shows.
    private(set) var freezeFrames: [ECU: (code: DTC, state: VehicleState)] = [:]
    /// What the counters had at ``mark``.
    private var distance = 1830.0
    private var minutes = 2740.0
    private var warmUps = 61
    private var monitorsRunAgain = false
    /// The vehicle when the counters were set.
    private var mark: VehicleState
    /// The vehicle when the MIL came on, and how far and long it had been on by then.
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

    /// Those of `codes` that `ecu` keeps.
    func own(_ codes: [DTC], of ecu: ECU) -> [DTC] {
        codes.filter { ECU.owner(of: $0, among: self.ecus) == ecu }
    }

    /// An ECU has one frame, of the code that came first.
    private mutating func keepFrame(_ code: DTC, _ state: VehicleState) {
        let ecu = ECU.owner(of: code, among: self.ecus)
        if self.freezeFrames[ecu] == nil { self.freezeFrames[ecu] = (code, state) }
    }

    var isMILOn: Bool { self.mil != nil }

    /// A malfunction was confirmed.
    mutating func confirm(_ code: DTC, _ state: VehicleState) {
        guard !self.confirmed.contains(code) else { return }
        self.confirmed.append(code)
        self.pending.removeAll { $0 == code }
        self.keepFrame(code, state)
        if self.mil == nil { self.mil = (state, 0, 0) }
    }

    /// What service 04 does in these ECUs: everything but the permanent codes goes (SAE J1979, service 04).
    ///
    /// The counters are the engine's.
    mutating func clear(_ state: VehicleState, of ecus: Set<ECU>) {
        let all = self.ecus
        self.confirmed.removeAll { ecus.contains(ECU.owner(of: $0, among: all)) }
        self.pending.removeAll { ecus.contains(ECU.owner(of: $0, among: all)) }
        self.freezeFrames = self.freezeFrames.filter { !ecus.contains($0.key) }
        if self.confirmed.isEmpty { self.mil = nil }
        guard ecus.contains(.engine) else { return }
        self.distance = 0
        self.minutes = 0
        self.warmUps = 0
        self.monitorsRunAgain = true
        self.mark = state
    }

    func distanceSinceClear(_ state: VehicleState) -> Double { self.distance + state.odometer - self.mark.odometer }

    func minutesSinceClear(_ state: VehicleState) -> Double {
        self.minutes + (state.totalRunTime - self.mark.totalRunTime) / 60
    }

    /// The last counts of PID 30 and up to there are looked for only.
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

    /// PID 01 of `ecu`.
    func status(of ecu: ECU, _ state: VehicleState) -> MonitorStatus {
        self.status(
            of: ecu,
            codes: self.own(self.confirmed, of: ecu).count,
            mil: self.isMILOn,
            after: self.runTimeSinceClear(state)
        )
    }

    /// Whether `monitor` has finished since the codes were cleared.
    func hasFinished(_ monitor: Monitor, _ state: VehicleState) -> Bool {
        self.runTimeSinceClear(state) >= Self.monitorTimes[monitor] ?? 0
    }

    /// In seconds; without end where they never were.
    private func runTimeSinceClear(_ state: VehicleState) -> Double {
        self.monitorsRunAgain ? state.totalRunTime - self.mark.totalRunTime : .infinity
    }

    /// PID 41 of the engine's ECU.
    func cycleStatus(_ state: VehicleState) -> MonitorStatus {
        self.status(of: .engine, codes: 0, mil: false, after: state.runTime)
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

    /// How many seconds the engine must run until a monitor has finished.
    private static let monitorTimes: [Monitor: Double] = [
        .misfire: 20, .fuelSystem: 60, .components: 5, .oxygenSensorHeater: 90, .oxygenSensor: 300,
        .exhaustGasRecirculation: 420, .catalyst: 600, .evaporativeSystem: 1500,
    ]
}
