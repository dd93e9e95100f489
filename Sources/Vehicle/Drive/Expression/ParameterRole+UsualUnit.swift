// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

extension ParameterRole {
    /// Returns a value in the usual unit of the role, the first of ``units``.
    ///
    /// - Parameter symbol: the unit of the value, which the role allows.
    func usual(_ value: Double, _ symbol: String?) -> Double {
        switch symbol {
        case "mph", "mi": value * 1.609344
        case "m/s": value * 3.6
        case "W", "Wh": value / 1000
        case "°F": (value - 32) / 1.8
        default: value
        }
    }
}
