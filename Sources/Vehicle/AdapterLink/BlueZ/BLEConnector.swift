// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import Systemd

/// Connects to one device, and opens the serial line among its characteristics.
struct BLEConnector: Sendable {
    /// The maximum number of connection attempts.
    private static let attempts = 5
    /// The maximum number of pairs of characteristics to try.
    private static let pairLimit = 4

    private let target: BLETarget
    private let monitor: BlueZMonitor
    private let limits: BLETimeLimits
    private let probe: BLEDialer.Probe
    private let intervalRequested: BLEDialer.IntervalRequested
    private let clock = BootClock()

    init(
        _ target: BLETarget,
        _ monitor: BlueZMonitor,
        limits: BLETimeLimits,
        probe: @escaping BLEDialer.Probe,
        intervalRequested: @escaping BLEDialer.IntervalRequested
    ) {
        self.target = target
        self.monitor = monitor
        self.limits = limits
        self.probe = probe
        self.intervalRequested = intervalRequested
    }

    /// Opens a link to a device, and checks that an adapter answers.
    func connect(_ device: Advertisement, until deadline: MonotonicTime) async throws(BluetoothError) -> GATTLink {
        do throws(BluetoothError) {
            try await self.establish(device, until: deadline)
            return try await self.openSerialLine(device)
        } catch {
            // The device must be free for the next attempt.
            try? await self.disconnect(device)
            throw error
        }
    }

    // MARK: - The connection

    private func establish(_ device: Advertisement, until deadline: MonotonicTime) async throws(BluetoothError) {
        if self.isConnected(device) {
            // A connection of an earlier process, whose subscriptions are unknown.
            try await self.disconnect(device)
        }
        for attempt in 1... {
            guard let failure = try await self.attempt(device, until: deadline) else { return }
            guard failure.isTransient, attempt < Self.attempts, self.clock.now < deadline, !Task.isCancelled else {
                throw .unreachable(device.address, failure.reason)
            }
            // The link may still come up after a failed Connect.
            try await self.disconnect(device)
            try? await self.clock.sleep(until: self.clock.now + self.limits.pause * attempt)
        }
    }

    /// Connects once, and waits for the services.
    ///
    /// - Returns: the reason of a failure, and whether another attempt may succeed; nil on success.
    private func attempt(
        _ device: Advertisement,
        until deadline: MonotonicTime
    ) async throws(BluetoothError) -> (reason: String, isTransient: Bool)? {
        do throws(BusError) {
            let timeout = min(self.limits.connect, max(.seconds(1), deadline - self.clock.now))
            try await self.monitor.call(device.path, BlueZInterface.device, "Connect", timeout: timeout)
            // BlueZ 5.66 emits no change of Connected if the link's socket is ready before BlueZ has read the kernel's
            // event of the connection ("Device … is already connected" in its journal).
            try await self.monitor.refresh(device.path, BlueZInterface.device)
        } catch {
            if error == .disconnected { throw .noDaemon }
            return (error.description, Self.isTransient(error))
        }
        let isResolved = try await self.monitor.wait(until: self.clock.now + self.limits.services) { tree -> Bool? in
            // A cancelled Connect may have returned success without a link.
            guard let properties = tree.properties(device.path, BlueZInterface.device),
                properties["Connected"]?.bool == true
            else { return false }
            return properties["ServicesResolved"]?.bool == true ? true : nil
        }
        switch isResolved {
        case true: return nil
        case false: return ("it disconnected at once", true)
        case nil: return ("the service discovery timed out", true)
        }
    }

    private func isConnected(_ device: Advertisement) -> Bool {
        self.monitor.tree.properties(device.path, BlueZInterface.device)?["Connected"]?.bool == true
    }

    private func disconnect(_ device: Advertisement) async throws(BluetoothError) {
        let deadline = self.clock.now + self.limits.disconnect
        do throws(BusError) {
            try await self.monitor.call(
                device.path,
                BlueZInterface.device,
                "Disconnect",
                timeout: self.limits.disconnect
            )
        } catch {
            // A cancelled task makes no calls, but the device must not stay connected.
            if error == .cancelled { return self.monitor.post(device.path, BlueZInterface.device, "Disconnect") }
        }
        _ = try await self.monitor.wait(until: deadline) { tree in
            tree.properties(device.path, BlueZInterface.device)?["Connected"]?.bool == true ? nil : true
        }
    }

    /// Whether another attempt may succeed after this error.
    ///
    /// No attempt can succeed if the object is gone: the device must first be found again.
    private static func isTransient(_ error: BusError) -> Bool {
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
            requirement: self.target.characteristics
        )
        guard !candidates.isEmpty else { throw .noSerialLine(device.address) }
        var failure = BluetoothError.notAnAdapter(device.address)
        for candidate in candidates.prefix(Self.pairLimit) {
            do throws(BluetoothError) {
                if let link = try await self.openAndProbe(candidate, of: device) {
                    self.intervalRequested(await link.shortenInterval())
                    return link
                }
            } catch {
                // The next pair may succeed as long as the device stays connected.
                guard case .unreachable = error, self.isConnected(device), !Task.isCancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Opens a pair of characteristics; returns nil if no adapter answers through it.
    private func openAndProbe(_ pair: SerialCharacteristics, of device: Advertisement) async throws(BluetoothError)
        -> GATTLink?
    {
        let link = try await self.open(pair, of: device)
        if await link.whileCancellable({ await self.probe(link) }) { return link }
        link.closeChannels()
        // Some adapters let any device read, and only paired devices write.
        guard let reason = link.lastRefusal.flatMap(Self.pairingReason) else { return nil }
        try await BLEPairing(self.monitor, self.limits, pin: self.target.pin).pair(device, because: reason)
        let paired = try await self.open(pair, of: device)
        if await paired.whileCancellable({ await self.probe(paired) }) { return paired }
        paired.closeChannels()
        guard let refusal = paired.lastRefusal else { return nil }
        throw .notPaired(device.address, refusal.description)
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

    private func open(_ pair: SerialCharacteristics, of device: Advertisement) async throws(BluetoothError) -> GATTLink
    {
        do throws(BusError) {
            return try await self.acquire(pair, of: device)
        } catch {
            guard let reason = Self.pairingReason(error) else { throw .unreachable(device.address, error.description) }
            try await BLEPairing(self.monitor, self.limits, pin: self.target.pin).pair(device, because: reason)
        }
        do throws(BusError) {
            return try await self.acquire(pair, of: device)
        } catch {
            throw .notPaired(device.address, error.description)
        }
    }

    /// Returns BlueZ's message if the error means that pairing is required; nil for any other error.
    ///
    /// `NotPermitted` alone may also mean that another client reads the characteristic.
    private static func pairingReason(_ error: BusError) -> String? {
        guard case .refused(let name, let message) = error else { return nil }
        let isMissing =
            name.hasSuffix(".NotPermitted") && message.contains("paired") || name.hasSuffix(".NotAuthorized")
        return isMissing ? message : nil
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
        if characteristic.notifies, let (socket, mtu) = try await self.acquire("AcquireNotify", characteristic, address)
        {
            return (.socket(socket), mtu)
        }
        let signals = SignalInput()
        let path = characteristic.path
        let devicePath = device.path
        // The monitor outlives the link if another pair is tried.
        self.monitor.observe { [weak signals] tree, signal in
            guard let signals else { return }
            guard let tree, tree.properties(devicePath, BlueZInterface.device)?["Connected"]?.bool == true else {
                return signals.end(.lost("the adapter disconnected"))
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
        if characteristic.acceptsCommands,
            let (socket, mtu) = try await self.acquire("AcquireWrite", characteristic, address)
        {
            return (.socket(socket), mtu)
        }
        return (.calls(characteristic.path, withResponse: characteristic.acceptsRequests), characteristic.mtu)
    }

    /// Returns a socket for packets; nil if BlueZ or the device does not offer one.
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
            // The caller handles missing pairing. After any other refusal, D-Bus values are used instead.
            guard case .refused = error, Self.pairingReason(error) == nil else { throw error }
            return nil
        }
        guard case .descriptor(let descriptor) = answer.first, let mtu = answer.last?.integer else { return nil }
        let number = descriptor.take()
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        return (DescriptorLink(number, address: address, isSocket: true), mtu)
    }
}
