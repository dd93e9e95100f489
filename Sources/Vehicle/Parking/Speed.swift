// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A speed that shows whether the vehicle is in use.
package enum Speed: Hashable, Sendable {
    /// The speed of the engine, in rpm.
    case engine(Double)
    /// The speed of the vehicle, in km/h.
    case vehicle(Double)

    /// A speed without its value.
    package enum Quantity: Hashable, Sendable {
        case engine
        case vehicle
    }
}
