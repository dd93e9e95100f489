// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How long each step to an adapter over Bluetooth LE may take.
package struct BLETimeLimits: Hashable, Sendable {
    /// Until a controller appears: a `bluetoothd` that was started by our first call has none yet.
    package var controller = Duration.seconds(3)
    /// Until a controller is on.
    package var power = Duration.seconds(5)
    /// How long a likely device may be looked for a better one.
    package var scan = Duration.seconds(3)
    /// How long a scan may find nothing until it is begun anew: BlueZ may say that it scans while the controller does not.
    package var rescan = Duration.seconds(10)
    /// Until the adapter that answered before is given up, and searched for.
    package var known = Duration.seconds(12)
    /// Until a Connect is cancelled; BlueZ's own limit is 41 s.
    package var connect = Duration.seconds(20)
    /// Before a Connect is tried for the second time; twice as long before the third, and so on.
    package var pause = Duration.milliseconds(250)
    /// The discovery of services.
    package var services = Duration.seconds(15)
    /// A disconnection; BlueZ needs two seconds if the device does not help.
    package var disconnect = Duration.seconds(3)
    /// A pairing; BlueZ gives an agent a minute.
    package var pairing = Duration.seconds(60)

    package init() {}
}
