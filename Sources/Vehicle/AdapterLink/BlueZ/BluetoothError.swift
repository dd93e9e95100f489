// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0


/// Why there is no link over Bluetooth.
package enum BluetoothError: Error, Hashable, Sendable {
    /// No D-Bus system bus.
    case noBus(String)
    /// `bluetoothd` does not run.
    case noDaemon
    /// The bus does not let us talk to `bluetoothd`.
    case noPermission
    /// There is no Bluetooth controller.
    case noController
    /// The controller is switched off by rfkill.
    case blocked
    /// The controller can't be switched on: BlueZ's words.
    case notPowered(String)
    /// No adapter was found: none at all, or not the one with this address.
    case notFound(BluetoothAddress?)
    /// It was found, and does not let itself be connected; often because a phone holds it.
    case unreachable(BluetoothAddress, String)
    /// It wants to be paired first, and that failed.
    case notPaired(BluetoothAddress, String)
    /// Its services can't carry a serial line.
    case noSerialLine(BluetoothAddress)
    /// It does not answer as an ELM327 does.
    case notAnAdapter(BluetoothAddress)
    /// Something that BlueZ refused otherwise.
    case refused(String)
}

extension BluetoothError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noBus(let reason): "no D-Bus system bus: \(reason)"
        case .noDaemon: "bluetoothd does not run"
        case .noPermission: "no permission to use bluetoothd"
        case .noController: "no Bluetooth controller"
        case .blocked: "the Bluetooth controller is switched off by rfkill"
        case .notPowered(let reason): "the Bluetooth controller can't be switched on: \(reason)"
        case .notFound(nil): "no OBD-II adapter in reach"
        case .notFound(.some(let address)): "\(address) is not in reach"
        case .unreachable(let address, let reason): "\(address) does not connect: \(reason)"
        case .notPaired(let address, let reason): "\(address) wants to be paired: \(reason)"
        case .noSerialLine(let address): "\(address) has no serial line among its services"
        case .notAnAdapter(let address): "\(address) does not answer as an ELM327 adapter"
        case .refused(let reason): "BlueZ refuses: \(reason)"
        }
    }

    /// What somebody can do about it.
    package var nextStep: String {
        switch self {
        case .noBus: "install and start dbus."
        case .noDaemon: "apt install bluez; systemctl enable --now bluetooth"
        case .noPermission: "run as root, or put the user into the group bluetooth."
        case .noController: "plug in a Bluetooth controller; see also: hciconfig -a, dmesg | grep -i blue"
        case .blocked: "rfkill unblock bluetooth"
        case .notPowered: "bluetoothctl power on; the journal of bluetooth.service tells more."
        case .notFound: "plug the adapter in, switch the ignition on, and end apps on phones that may hold it."
        case .unreachable: "end apps on phones that may hold it; unplug it for ten seconds; move closer."
        case .notPaired: "set [adapter] pin; unplug the adapter for 30 seconds and try again within 5 minutes."
        case .noSerialLine: "is this an OBD-II adapter? Else set [adapter] notify_uuid and write_uuid."
        case .notAnAdapter: "is this an ELM327 adapter? obd-agent scan lists what answers."
        case .refused: "the journal of bluetooth.service tells more."
        }
    }
}
