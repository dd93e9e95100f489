// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Chassis codes that SAE J2012 defines.
///
/// A code names the component only. The kind of fault, such as low, high or open, is the failure type that UDS adds.
extension CodeTable {
    static var c00: String {
        """
        C0001 .*2 Traction control channel A, valve #
        C0003 .*2 Traction control channel B, valve #
        C0010 . Left front brake inlet valve control
        C0011 . Left front brake outlet valve control
        C0012 . Left front brake: hydraulic release takes too long
        C0014 . Right front brake inlet valve control
        C0015 . Right front brake outlet valve control
        C0016 . Right front brake: hydraulic release takes too long
        C0018 . Left rear brake inlet valve control
        C0019 . Left rear brake outlet valve control
        C001A . Left rear brake: hydraulic release takes too long
        C001C . Right rear brake inlet valve control
        C001D . Right rear brake outlet valve control
        C001E . Right rear brake: hydraulic release takes too long
        C0020 . Anti-lock brake pump motor control
        C0021 p Brake booster
        C0022 . Brake booster solenoid
        C0023 . Stop lamp control
        C0030 . Left front tone wheel
        C0031 . Left front wheel speed sensor
        C0032 . Left front wheel speed sensor supply
        C0033 . Right front tone wheel
        C0034 . Right front wheel speed sensor
        C0035 . Right front wheel speed sensor supply
        C0036 . Left rear tone wheel
        C0037 . Left rear wheel speed sensor
        C0038 . Left rear wheel speed sensor supply
        C0039 . Right rear tone wheel
        C003A . Right rear wheel speed sensor
        C003B . Right rear wheel speed sensor supply
        C003C . Rear tone wheel
        C003D . Rear wheel speed sensor
        C003E . Rear wheel speed sensor supply
        C0040 .*A..B Brake pedal switch #
        C0042 .*A..B Brake pedal position sensor #
        C0044 .*A..B Brake pressure sensor #
        C0046 . Brake pressure sensors A and B
        C0047 . Brake booster pressure sensor
        C0048 . Brake booster travel sensor
        C0049 . Brake fluid
        C004A . Brake lining wear sensor
        C0051 . Steering wheel position sensor
        C0052 .*A..D Steering wheel position sensor signal #
        C0061 . Lateral acceleration sensor
        C0062 . Longitudinal acceleration sensor
        C0063 . Yaw rate sensor
        C0064 . Roll rate sensor
        C0069 . Yaw rate and longitudinal acceleration sensors
        C006A . Multi-axis acceleration sensor
        C006B . Stability system active for too long
        C006C . Stability system
        C0071 . Two or four-wheel drive state input
        C0072 . Brakes too hot
        C0073 . Delivered driving torque
        C0074 . Requested driving torque
        C0077 . Tyre pressure low
        C0078 . Tyre diameter
        C0079 . Variable effort steering
        C0081 . Anti-lock brake warning lamp
        C0082 . Brake system warning lamp
        C0083 . Tyre pressure warning lamp
        C0084 . Traction control active lamp
        C0085 . Traction control off lamp
        C0086 . Vehicle dynamics lamp
        C0089 . Traction control off switch
        C008A . Traction control mode
        """
    }
}
