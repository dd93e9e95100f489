// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CBluetooth
import CLinux
import EventLoop
import Glibc

/// Requests to the Bluetooth controller itself (Bluetooth Core, Volume 4, Part E).
package enum HCI {
    /// The outcome of a request to the controller.
    package enum Outcome: Hashable, Sendable {
        case done
        /// The process lacks CAP_NET_ADMIN or CAP_NET_RAW.
        case notPermitted
        /// The request failed with this error text of the system.
        case failed(String)
    }

    /// The timeout of a request, in milliseconds.
    private static let timeout: Int32 = 5000

    /// Requests a connection interval of 7.5 to 15 ms, which limits the wait of a packet for its turn.
    ///
    /// - Parameter controller: the number in `hci0`.
    package static func shortenInterval(of address: BluetoothAddress, controller: Int32) async -> Outcome {
        await Self.withConnection(address, controller) { device, handle in
            // The interval is in units of 1.25 ms, the supervision timeout in units of 10 ms.
            hci_le_conn_update(device, handle, 6, 12, 0, 400, Self.timeout) == 0 ? .done : Self.failure(errno)
        }
    }

    /// Returns the strength of the signal in dBm; nil if it is not available.
    package static func rssi(of address: BluetoothAddress, controller: Int32) async -> Int? {
        await withCheckedContinuation { continuation in
            Thread.start(named: "hci") {
                var rssi: Int8 = 0
                let outcome = Self.perform(address, controller) { device, handle in
                    unsafe hci_read_rssi(device, handle, &rssi, Self.timeout) == 0 ? .done : Self.failure(errno)
                }
                // 127 means: not available.
                continuation.resume(returning: outcome == .done && rssi != 127 ? Int(rssi) : nil)
            }
        }
    }

    private static func withConnection(
        _ address: BluetoothAddress,
        _ controller: Int32,
        _ body: @escaping @Sendable (_ device: Int32, _ handle: UInt16) -> Outcome
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            Thread.start(named: "hci") { continuation.resume(returning: Self.perform(address, controller, body)) }
        }
    }

    private static func perform(
        _ address: BluetoothAddress,
        _ controller: Int32,
        _ body: (_ device: Int32, _ handle: UInt16) -> Outcome
    ) -> Outcome {
        let device = hci_open_dev(controller)
        guard device >= 0 else { return Self.failure(errno) }
        defer { hci_close_dev(device) }
        let handle = unsafe CLinux_le_connection_handle(device, address.kernelBytes)
        guard handle >= 0 else { return Self.failure(errno) }
        return body(device, UInt16(truncatingIfNeeded: handle))
    }

    private static func failure(_ number: Int32) -> Outcome {
        number == EPERM || number == EACCES ? .notPermitted : .failed(unsafe String(cString: strerror(number)))
    }
}
