// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

@testable import Drive

/// A vehicle that a test drives by the second, and the recorder that reads it.
struct TestDrive {
    var recorder: TripRecorder
    var actions: [TripRecorder.Action] = []
    var now = MonotonicTime(sinceBoot: .seconds(10_000))
    /// The interval between two readings, in seconds.
    var interval = 1
    /// Whether the vehicle reports its odometer, and the run time of its engine.
    var hasOdometer = true
    var hasRunTime = true
    /// The step of the odometer in km.
    var resolution = 0.1
    /// km.
    private(set) var odometer = 54_321.07
    /// L.
    private(set) var fuel = 0.0
    private var engineStart: MonotonicTime?
    private var speed = 0.0

    static let boot = MachineBoot(id: "one", start: Timestamp(milliseconds: 1_795_000_000_000), isSynchronised: true)

    init(_ limits: TripLimits = TripLimits()) { self.recorder = TripRecorder(limits) }

    /// The finished trips.
    var trips: [Trip] {
        self.actions.compactMap { if case .finish(let trip) = $0 { trip } else { nil } }
    }

    /// Drives at a speed in km/h, which is reached at once.
    ///
    /// - Parameters:
    ///   - engine: the speed of the engine in rpm; 0: it does not turn.
    ///   - isRead: whether the agent reads the vehicle.
    mutating func drive(
        _ speed: Double,
        for seconds: Int,
        engine: Double = 1800,
        charge: Double? = nil,
        power: Double? = nil,
        isRead: Bool = true
    ) {
        for second in 1...seconds {
            self.now = self.now + .seconds(1)
            if engine > 0 { self.engineStart = self.engineStart ?? self.now } else { self.engineStart = nil }
            // The speed changes evenly within the first second.
            self.odometer += (self.speed + speed) / 2 / 3600
            self.speed = speed
            self.fuel += engine > 0 ? (speed > 0 ? 6.0 : 0.9) / 3600 : 0
            guard isRead, second % self.interval == 0 else { continue }
            self.read(engine: engine, charge: charge, power: power)
        }
    }

    private mutating func read(engine: Double, charge: Double?, power: Double?) {
        let now = self.now
        var readings = [
            Reading("engine_speed", role: .engineSpeed, engine, "rpm", at: now, resolution: 0.25),
            Reading("vehicle_speed", role: .vehicleSpeed, self.speed.rounded(), "km/h", at: now, resolution: 1),
            Reading("engine_load", engine > 0 ? 35 : 0, "%", at: now),
            Reading("coolant_temperature", 14, "°C", at: now),
            Reading("fuel_flow", engine > 0 ? (self.speed > 0 ? 6.0 : 0.9) : 0, "L/h", at: now),
            Reading("fuel_level", role: .fuelLevel, 60 - self.fuel * 2, "%", at: now),
        ]
        if self.hasOdometer {
            let shown = (self.odometer / self.resolution).rounded(.down) * self.resolution
            readings.append(Reading("odometer", role: .odometer, shown, "km", at: now, resolution: self.resolution))
        }
        if self.hasRunTime, let start = self.engineStart {
            readings.append(Reading("run_time", (now - start).seconds.rounded(.down), "s", at: now))
        }
        if let charge { readings.append(Reading("charge", role: .stateOfCharge, charge, "%", at: now)) }
        if let power { readings.append(Reading("power", role: .tractionBatteryPower, power, "kW", at: now)) }
        self.actions += self.recorder.receive(readings)
    }

    /// Lets time pass without readings.
    mutating func wait(_ seconds: Int) {
        for _ in 0..<seconds / 60 {
            self.now = self.now + .seconds(60)
            self.actions += self.recorder.timePassed(to: self.now)
        }
        self.now = self.now + .seconds(seconds % 60)
    }

    /// Switches the ignition off, and waits until the vehicle counts as parked.
    mutating func park() {
        (self.engineStart, self.speed) = (nil, 0)
        self.now = self.now + .seconds(40)
        self.actions += self.recorder.parkingChanged(isParked: true, isLost: false, isSilent: true)
    }

    /// Starts the agent anew with what the former one has saved.
    mutating func restart(_ boot: MachineBoot = Self.boot, in next: MachineBoot = Self.boot) {
        guard let json = try? JSON(parsing: Array(self.recorder.memory(boot).json.text.utf8), depthLimit: 8),
            let memory = TripMemory(json)
        else { return }
        self.recorder = TripRecorder(TripLimits())
        self.recorder.restore(memory, next, at: self.now)
    }

    /// Counts the time since another boot from now on.
    mutating func reboot(after offset: Duration) {
        self.now = self.now - offset
        self.engineStart = self.engineStart.map { $0 - offset }
    }
}

/// Returns whether a number is within a share of another one.
func isNear(_ value: Double?, _ truth: Double, within share: Double) -> Bool {
    value.map { abs($0 - truth) <= abs(truth) * share } ?? false
}
