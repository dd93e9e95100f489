// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The timeouts of the steps to a link over Bluetooth LE.
package struct BLETimeLimits: Hashable, Sendable {
    /// The timeout until a controller appears.
    ///
    /// A `bluetoothd` that the first call started has none yet.
    package var controller = Duration.seconds(3)
    /// The timeout until the controller is on.
    package var power = Duration.seconds(5)
    /// The time for which the scan continues after a likely device, in search of a likelier one.
    package var scan = Duration.seconds(3)
    /// The time after which a scan without result restarts.
    ///
    /// BlueZ may report a scan while the controller does not scan.
    package var rescan = Duration.seconds(10)
    /// The timeout for the connection to the known adapter, before a scan.
    package var known = Duration.seconds(12)
    /// The timeout of a Connect call; BlueZ's own limit is 41 s.
    package var connect = Duration.seconds(20)
    /// The pause before the second Connect; the pause before the third is twice as long, and so on.
    package var pause = Duration.milliseconds(250)
    /// The timeout of the service discovery.
    package var services = Duration.seconds(15)
    /// The timeout of a disconnection; BlueZ needs two seconds if the device does not respond.
    package var disconnect = Duration.seconds(3)
    /// The timeout of a pairing; BlueZ gives an agent one minute.
    package var pairing = Duration.seconds(60)

    package init() {}
}
