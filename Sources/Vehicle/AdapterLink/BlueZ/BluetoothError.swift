// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why a link over Bluetooth could not be opened.
package enum BluetoothError: Error, Hashable, Sendable {
    /// The D-Bus system bus is not available.
    case noBus(String)
    /// `bluetoothd` does not run.
    case noDaemon
    /// The bus denies access to `bluetoothd`.
    case noPermission
    /// There is no Bluetooth controller.
    case noController
    /// The controller is switched off by rfkill.
    case blocked
    /// The controller could not be switched on, with BlueZ's message.
    case notPowered(String)
    /// No adapter was found; with an address, the adapter with this address was not found.
    case notFound(BluetoothAddress?)
    /// The adapter was found, but the connection failed, often because a phone is connected to it.
    case unreachable(BluetoothAddress, String)
    /// The adapter requires pairing, and pairing failed.
    case notPaired(BluetoothAddress, String)
    /// None of the device's services can carry a serial line.
    case noSerialLine(BluetoothAddress)
    /// The device does not answer like an ELM327.
    case notAnAdapter(BluetoothAddress)
    /// BlueZ refused another request.
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
        case .notPowered(let reason): "the Bluetooth controller cannot be switched on: \(reason)"
        case .notFound(nil): "no OBD-II adapter in reach"
        case .notFound(.some(let address)): "\(address) is not in reach"
        case .unreachable(let address, let reason): "\(address) does not connect: \(reason)"
        case .notPaired(let address, let reason): "\(address) wants to be paired: \(reason)"
        case .noSerialLine(let address): "\(address) has no serial line among its services"
        case .notAnAdapter(let address): "\(address) does not answer as an ELM327 adapter"
        case .refused(let reason): "BlueZ refuses: \(reason)"
        }
    }

    /// The advice for the user.
    package var nextStep: String {
        switch self {
        case .noBus: "install and start dbus."
        case .noDaemon: "apt install bluez; systemctl enable --now bluetooth"
        case .noPermission: "run as root, or add the user to the group bluetooth."
        case .noController: "plug in a Bluetooth controller; see also: hciconfig -a, dmesg | grep -i blue"
        case .blocked: "rfkill unblock bluetooth"
        case .notPowered: "bluetoothctl power on; see also: journalctl -u bluetooth"
        case .notFound: "plug the adapter in, switch the ignition on, and close apps on phones that may hold it."
        case .unreachable: "close apps on phones that may hold it; unplug it for ten seconds; move closer."
        case .notPaired: "set [adapter] pin; unplug the adapter for 30 seconds and try again within 5 minutes."
        case .noSerialLine: "check that this is an OBD-II adapter, or set [adapter] notify_uuid and write_uuid."
        case .notAnAdapter: "check that this is an ELM327 adapter; obd-agent scan lists the devices that answer."
        case .refused: "journalctl -u bluetooth"
        }
    }
}
