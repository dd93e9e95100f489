// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
package import Systemd
import Base

/// Looks for adapters over Bluetooth LE, and tries them.
package struct BLEScanner: Sendable {
    /// What became of trying a device.
    package enum Verdict: Hashable, Sendable {
        /// It answers as an ELM327 does.
        case adapter
        case failed(BluetoothError)
    }

    private let dialer: BLEDialer
    private let connector: BLEConnector
    private let monitor: BlueZMonitor
    /// BlueZ's object of the controller: `/org/bluez/hci0`.
    package let controller: String
    private let clock = BootClock()

    /// Switches the controller on.
    ///
    /// - Parameter probe: proves that a device is an adapter.
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

    /// Listens for devices, and tells each when it is heard first.
    package func listen(
        for duration: Duration,
        found: (Advertisement) -> Void
    ) async throws(BluetoothError) -> [Advertisement] {
        try await self.dialer.startDiscovery(self.monitor, self.controller)
        let deadline = self.clock.now + duration
        var heard: [BluetoothAddress: Advertisement] = [:]
        while !Task.isCancelled {
            let news = try await self.monitor.wait(until: deadline) { tree in
                let devices = BLEDialer.devices(tree, self.controller).filter { self.monitor.hasSeen($0.path) }
                let news = devices.filter { heard[$0.address].map(\.likelihood) != $0.likelihood }
                return news.isEmpty ? nil : news
            }
            guard let news else { break }
            for device in news {
                heard[device.address] = device
                found(device)
            }
        }
        // What came after the first word, such as the strength of the signal, is gone once the scan has ended.
        for device in BLEDialer.devices(self.monitor.tree, self.controller) where heard[device.address] != nil {
            heard[device.address] = device
        }
        await self.dialer.stopDiscovery(self.monitor, self.controller)
        return heard.values.sorted { ($0.likelihood, $0.rssi ?? -128) > ($1.likelihood, $1.rssi ?? -128) }
    }

    /// Connects a device, asks whether it is an adapter, and lets it go.
    package func attempt(_ device: Advertisement) async -> Verdict {
        do throws(BluetoothError) {
            let link = try await self.connector.connect(device, until: self.clock.now + .seconds(30))
            link.abandon()
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
