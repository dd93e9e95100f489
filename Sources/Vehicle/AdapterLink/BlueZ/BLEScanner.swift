// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
package import Systemd

/// Scans for adapters over Bluetooth LE, and tests devices.
package struct BLEScanner: Sendable {
    /// The result of a test of a device.
    package enum Verdict: Hashable, Sendable {
        /// The device answers like an ELM327.
        case adapter
        case failed(BluetoothError)
    }

    private let dialer: BLEDialer
    private let connector: BLEConnector
    private let monitor: BlueZMonitor
    /// The path of BlueZ's object of the controller: `/org/bluez/hci0`.
    package let controller: String
    private let clock = BootClock()

    /// Connects to BlueZ, and switches the controller on.
    ///
    /// - Parameter probe: checks whether a device is an adapter.
    package init(
        _ target: BLETarget = BLETarget(),
        bus: BusConnection.Address = .system,
        limits: BLETimeLimits = BLETimeLimits(),
        probe: @escaping BLEDialer.Probe
    ) async throws(BluetoothError) {
        self.dialer = BLEDialer(target, bus: bus, limits: limits, probe: probe)
        self.monitor = try await BlueZMonitor(bus)
        self.connector = BLEConnector(target, self.monitor, limits: limits, probe: probe) { _ in }
        do throws(BluetoothError) {
            self.controller = try await self.dialer.powerOn(self.monitor)
        } catch {
            self.monitor.close()
            throw error
        }
    }

    /// Listens for devices, and passes each to `found` when it is first seen or becomes more or less likely.
    package func listen(
        for duration: Duration,
        found: (Advertisement) -> Void
    ) async throws(BluetoothError) -> [Advertisement] {
        try await self.dialer.startDiscovery(self.monitor, self.controller)
        let deadline = self.clock.now + duration
        var seen: [BluetoothAddress: Advertisement] = [:]
        while !Task.isCancelled {
            let changes = try await self.monitor.wait(until: deadline) { tree in
                let devices = BLEDialer.devices(tree, self.controller).filter { self.monitor.hasSeen($0.path) }
                let changes = devices.filter { seen[$0.address].map(\.likelihood) != $0.likelihood }
                return changes.isEmpty ? nil : changes
            }
            guard let changes else { break }
            for device in changes {
                seen[device.address] = device
                found(device)
            }
        }
        // Properties that came later, such as the signal strength, are gone once the scan has ended.
        for device in BLEDialer.devices(self.monitor.tree, self.controller) where seen[device.address] != nil {
            seen[device.address] = device
        }
        await self.dialer.stopDiscovery(self.monitor, self.controller)
        return seen.values.sorted { ($0.likelihood, $0.rssi ?? -128) > ($1.likelihood, $1.rssi ?? -128) }
    }

    /// Connects to a device, checks whether it is an adapter, and disconnects.
    package func attempt(_ device: Advertisement) async -> Verdict {
        do throws(BluetoothError) {
            let link = try await self.connector.connect(device, until: self.clock.now + .seconds(30))
            link.closeChannels()
            _ = try? await self.monitor.call(device.path, BlueZInterface.device, "Disconnect")
            return .adapter
        } catch {
            return .failed(error)
        }
    }

    /// Ends the connection to BlueZ.
    package func close() {
        self.monitor.close()
    }
}
