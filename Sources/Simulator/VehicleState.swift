// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The values of the vehicle's sensors and control units at one moment.
package struct VehicleState: Hashable, Sendable {
    /// Whether the ignition is on: the control units have power and answer.
    package var ignition = false
    /// Whether all ECUs answer: with the ignition on, and for a while after the vehicle is locked.
    package var isAwake = false
    /// Whether the drive is enabled.
    package var ready = false
    package var pluggedIn = false
    package var charging = false
    package var engineRuns = false
    /// rpm.
    package var engineSpeed = 0.0
    /// km/h.
    package var vehicleSpeed = 0.0
    /// 1 to 6, or 0 in neutral.
    package var gear = 0
    /// Engine speed divided by output shaft speed, as PID A4 reports it; 0 in neutral.
    package var gearRatio = 0.0
    /// %.
    package var engineLoad = 0.0
    package var throttle = 0.0
    package var pedal = 0.0
    package var fuelLevel = 0.0
    package var shortTrim = 0.0
    package var longTrim = 0.0
    /// % of the reference torque.
    package var demandedTorque = 0.0
    package var actualTorque = 0.0
    /// °C.
    package var coolant = 0.0
    package var oil = 0.0
    package var intakeAir = 0.0
    package var ambient = 0.0
    package var catalyst = 0.0
    /// kPa.
    package var manifoldPressure = 0.0
    package var barometricPressure = 0.0
    /// g/s.
    package var airFlow = 0.0
    /// ° before top dead center.
    package var timingAdvance = 0.0
    /// L/h.
    package var fuelRate = 0.0
    /// V.
    package var frontOxygen = 0.0
    package var rearOxygen = 0.0
    package var voltage = 0.0
    package var lambda = 0.0
    /// Whether the lambda control uses the front oxygen sensor.
    package var isClosedLoop = false
    /// The run time of the engine in seconds: since its last start, and over all trips.
    package var runTime = 0.0
    package var totalRunTime = 0.0
    /// The distance in km since the vehicle was built.
    package var odometer = 0.0
    /// The number of the trip, counted from zero.
    package var trip = 0
    /// The traction battery: % of its charge and of its first capacity, V, A out of the battery, and °C.
    package var stateOfCharge = 0.0
    package var stateOfHealth = 0.0
    package var tractionVoltage = 0.0
    package var tractionCurrent = 0.0
    package var tractionTemperature = 0.0
    /// The power of the charger, and of the electric motor, in kW.
    package var chargerPower = 0.0
    package var motorPower = 0.0
    /// rpm.
    package var motorSpeed = 0.0
    /// The range with the traction battery's charge in km.
    package var range = 0.0
}

extension VehicleState {
    /// The supply voltage as an adapter prints it, such as `12.6V`.
    var printedVoltage: String { Self.printedVoltage(self.voltage) }

    static func printedVoltage(_ volts: Double) -> String {
        let tenths = Int((volts * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)V"
    }
}
