// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A GATT service that carries a serial line to an adapter.
///
/// Known profiles are a preference only. The same product ships with different radios, so an unknown service with
/// suitable characteristics serves as well.
package struct SerialProfile: Hashable, Sendable {
    package let name: String
    package let service: BluetoothUUID
    /// The characteristic for bytes from the adapter.
    package let notify: BluetoothUUID
    /// The characteristic for bytes to the adapter, which may be the same.
    package let write: BluetoothUUID

    /// The known profiles, collected from public sources, in the order of preference.
    package static let known: [SerialProfile] = [
        SerialProfile("FFF0", 0xFFF0, 0xFFF1, 0xFFF2),
        SerialProfile("FFE0 (HM-10)", 0xFFE0, 0xFFE1, 0xFFE1),
        SerialProfile("18F0 (vLinker)", 0x18F0, 0x2AF0, 0x2AF1),
        SerialProfile(
            "E7810A71 (Vgate)",
            "E7810A71-73AE-499D-8C15-FAA9AEF0C3F2",
            "BEF8D6C9-9C21-4C9E-B632-BD58C1009F9F",
            "BEF8D6C9-9C21-4C9E-B632-BD58C1009F9F"
        ),
        SerialProfile(
            "Nordic UART",
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
            "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        ),
        SerialProfile(
            "Microchip transparent UART",
            "49535343-FE7D-4AE5-8FA9-9FAFD205E455",
            "49535343-1E4D-4BD9-BA61-23C647249616",
            "49535343-8841-43F4-A8D4-ECBE34729BB3"
        ),
        SerialProfile("FEE0 (WiCAN)", 0xFEE0, 0xFEE1, 0xFEE3),
        SerialProfile(
            "Terminal I/O",
            "0000FEFB-0000-1000-8000-00805F9B34FB",
            "00000002-0000-1000-8000-008025000000",
            "00000001-0000-1000-8000-008025000000"
        ),
    ].compactMap(\.self)

    private init(_ name: String, _ service: UInt16, _ notify: UInt16, _ write: UInt16) {
        self.name = name
        self.service = BluetoothUUID(short: service)
        self.notify = BluetoothUUID(short: notify)
        self.write = BluetoothUUID(short: write)
    }

    private init?(_ name: String, _ service: String, _ notify: String, _ write: String) {
        guard let service = BluetoothUUID(service), let notify = BluetoothUUID(notify),
            let write = BluetoothUUID(write)
        else { return nil }
        self.name = name
        self.service = service
        self.notify = notify
        self.write = write
    }

    /// The standard services of the Bluetooth SIG that never carry a serial line.
    ///
    /// They are: generic access and attribute, immediate alert, Tx power, device information, battery, human interface
    /// device.
    static let standardServices = Set(
        [0x1800, 0x1801, 0x1802, 0x1804, 0x180A, 0x180F, 0x1812].map(BluetoothUUID.init(short:))
    )
}
