// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import SDBus
import Timing

/// Connects one device, and opens the serial line among its characteristics.
struct BLEConnector: Sendable {
    /// How long a Connect may take before it is cancelled. BlueZ's own limit is 41 s.
    private static let connectTimeout = Duration.seconds(20)
    /// How long the discovery of services may take.
    private static let servicesTimeout = Duration.seconds(15)
    /// How often a connection is tried.
    private static let attempts = 3
    /// How many pairs of characteristics are tried.
    private static let pairLimit = 4

    private let target: BLETarget
    private let monitor: BlueZMonitor
    private let probe: BLEDialer.Probe
    private let noticeInterval: BLEDialer.NoticeInterval
    private let clock = BootClock()

    init(
        _ target: BLETarget,
        _ monitor: BlueZMonitor,
        probe: @escaping BLEDialer.Probe,
        noticeInterval: @escaping BLEDialer.NoticeInterval
    ) {
        self.target = target
        self.monitor = monitor
        self.probe = probe
        self.noticeInterval = noticeInterval
    }

    /// Opens a link to a device that proves to be an adapter.
    func connect(_ device: Advertisement, until deadline: MonotonicTime) async throws(BluetoothError) -> GATTLink {
        do throws(BluetoothError) {
            try await self.establish(device, until: deadline)
            return try await self.openSerialLine(device)
        } catch {
            // Whoever comes next shall find it free.
            try? await self.disconnect(device)
            throw error
        }
    }

    // MARK: - The connection

    private func establish(_ device: Advertisement, until deadline: MonotonicTime) async throws(BluetoothError) {
        if self.isConnected(device) {
            // Left over from somebody who is gone: what he subscribed to is unknown.
            try await self.disconnect(device)
        }
        var attempt = 1
        while true {
            do throws(BusError) {
                let timeout = min(Self.connectTimeout, max(.seconds(1), deadline - self.clock.now))
                try await self.monitor.call(device.path, BlueZInterface.device, "Connect", timeout: timeout)
                // A cancelled Connect may return success without a link.
                if self.isConnected(device) { break }
                throw .refused(name: "org.bluez.Error.Failed", message: "there is no link")
            } catch {
                guard attempt < Self.attempts, self.clock.now < deadline, Self.isPassing(error) else {
                    throw .unreachable(device.address, error.description)
                }
                attempt += 1
                // A failed Connect may be followed by the link coming up.
                try await self.disconnect(device)
                try? await self.clock.sleep(until: self.clock.now + .milliseconds(250) * attempt)
            }
        }
        let isResolved = try await self.monitor.wait(until: self.clock.now + Self.servicesTimeout) { tree throws(BluetoothError) in
            guard let properties = tree.properties(device.path, BlueZInterface.device),
                properties["Connected"]?.bool == true
            else { throw .unreachable(device.address, "it went away at once") }
            return properties["ServicesResolved"]?.bool == true ? true : nil
        }
        guard isResolved == true else { throw .unreachable(device.address, "it does not tell its services") }
    }

    private func isConnected(_ device: Advertisement) -> Bool {
        self.monitor.tree.properties(device.path, BlueZInterface.device)?["Connected"]?.bool == true
    }

    private func disconnect(_ device: Advertisement) async throws(BluetoothError) {
        _ = try? await self.monitor.call(device.path, BlueZInterface.device, "Disconnect")
        _ = try await self.monitor.wait(until: self.clock.now + .seconds(3)) { tree in
            tree.properties(device.path, BlueZInterface.device)?["Connected"]?.bool == true ? nil : true
        }
    }

    /// An object that is gone has to be found again; everything else may work the next time.
    private static func isPassing(_ error: BusError) -> Bool {
        switch error {
        case .refused(let name, _): name != "org.freedesktop.DBus.Error.UnknownObject"
        case .timedOut: true
        case .cannotConnect, .disconnected, .cancelled, .invalid: false
        }
    }

    // MARK: - The serial line

    private func openSerialLine(_ device: Advertisement) async throws(BluetoothError) -> GATTLink {
        let candidates = SerialCharacteristics.candidates(
            among: Self.characteristics(of: device.path, in: self.monitor.tree),
            wish: self.target.characteristics
        )
        guard !candidates.isEmpty else { throw .noSerialLine(device.address) }
        for candidate in candidates.prefix(Self.pairLimit) {
            let link = try await self.open(candidate, of: device)
            if await self.probe(link) {
                self.noticeInterval(await link.shortenInterval())
                return link
            }
            link.abandon()
        }
        throw .notAnAdapter(device.address)
    }

    static func characteristics(of device: String, in tree: ObjectTree) -> [GATTCharacteristic] {
        tree.paths(with: BlueZInterface.characteristic, below: device).compactMap { path in
            guard let properties = tree.properties(path, BlueZInterface.characteristic),
                let uuid = properties["UUID"]?.text.flatMap(BluetoothUUID.init),
                let service = properties["Service"]?.text
                    .flatMap({ tree.properties($0, BlueZInterface.gattService)?["UUID"]?.text })
                    .flatMap(BluetoothUUID.init)
            else { return nil }
            return GATTCharacteristic(
                path: path,
                service: service,
                uuid: uuid,
                flags: Set(properties["Flags"]?.texts ?? []),
                mtu: properties["MTU"]?.integer
            )
        }
    }

    private func open(_ pair: SerialCharacteristics, of device: Advertisement) async throws(BluetoothError) -> GATTLink {
        do throws(BusError) {
            return try await self.acquire(pair, of: device)
        } catch {
            guard case .refused(let name, let message) = error,
                name.hasSuffix(".NotPermitted") || name.hasSuffix(".NotAuthorized")
            else { throw .unreachable(device.address, error.description) }
            try await BLEPairing(self.monitor, pin: self.target.pin).pair(device, because: message)
        }
        do throws(BusError) {
            return try await self.acquire(pair, of: device)
        } catch {
            throw .notPaired(device.address, error.description)
        }
    }

    private func acquire(_ pair: SerialCharacteristics, of device: Advertisement) async throws(BusError) -> GATTLink {
        let address = "ble:\(device.address)"
        let (input, inputMTU) = try await self.acquireInput(pair.notify, address, device)
        let (output, outputMTU) = try await self.acquireOutput(pair.write, address)
        return GATTLink(
            self.monitor,
            GATTLink.Device(path: device.path, address: device.address, controller: device.controller),
            input: input,
            output: output,
            mtu: outputMTU ?? pair.write.mtu ?? inputMTU ?? 23
        )
    }

    private func acquireInput(
        _ characteristic: GATTCharacteristic,
        _ address: String,
        _ device: Advertisement
    ) async throws(BusError) -> (GATTLink.Input, mtu: Int?) {
        if characteristic.notifies, let (socket, mtu) = try await self.acquire("AcquireNotify", characteristic, address) {
            return (.socket(socket), mtu)
        }
        let signals = SignalInput()
        let path = characteristic.path
        let devicePath = device.path
        self.monitor.observe { tree, signal in
            guard let tree, tree.properties(devicePath, BlueZInterface.device)?["Connected"]?.bool == true else {
                return signals.end(.lost("the adapter went away"))
            }
            guard let signal, signal.path == path, signal.member == "PropertiesChanged", signal.arguments.count == 3,
                let value = signal.arguments[1].entries?["Value"]?.byteArray
            else { return }
            signals.append(value)
        }
        try await self.monitor.call(characteristic.path, BlueZInterface.characteristic, "StartNotify")
        return (.signals(signals), characteristic.mtu)
    }

    private func acquireOutput(
        _ characteristic: GATTCharacteristic,
        _ address: String
    ) async throws(BusError) -> (GATTLink.Output, mtu: Int?) {
        if characteristic.takesCommands, let (socket, mtu) = try await self.acquire("AcquireWrite", characteristic, address) {
            return (.socket(socket), mtu)
        }
        return (.calls(characteristic.path, withResponse: characteristic.takesRequests), characteristic.mtu)
    }

    /// A socket for packets; nil where BlueZ or the device can't give one.
    private func acquire(
        _ method: String,
        _ characteristic: GATTCharacteristic,
        _ address: String
    ) async throws(BusError) -> (DescriptorLink, mtu: Int)? {
        let answer: [BusValue]
        do throws(BusError) {
            answer = try await self.monitor.call(
                characteristic.path,
                BlueZInterface.characteristic,
                method,
                [.options([:])]
            )
        } catch {
            // Not paired is for others to mend; everything else means: the other way.
            if case .refused(_, let message) = error, message.contains("paired") { throw error }
            if case .refused = error { return nil }
            throw error
        }
        guard case .descriptor(let descriptor) = answer.first, let mtu = answer.last?.integer else { return nil }
        let number = descriptor.take()
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        return (DescriptorLink(number, address: address, isSocket: true), mtu)
    }
}
