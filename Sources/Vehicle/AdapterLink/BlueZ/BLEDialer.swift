// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import EventLoop
package import Systemd

/// The adapter to find over Bluetooth LE.
package struct BLETarget: Hashable, Sendable {
    /// The address of the adapter; nil for any device that answers like an adapter.
    package var address: BluetoothAddress?
    /// The UUIDs that the configuration requires.
    package var characteristics: SerialCharacteristics.Requirement
    /// The PIN or passkey, for an adapter that requires pairing.
    package var pin: String?

    package init(
        address: BluetoothAddress? = nil,
        characteristics: SerialCharacteristics.Requirement = SerialCharacteristics.Requirement(),
        pin: String? = nil
    ) {
        self.address = address
        self.characteristics = characteristics
        self.pin = pin
    }
}

/// Finds an adapter over Bluetooth LE, and opens a link to it through BlueZ.
package struct BLEDialer: Sendable {
    /// Returns whether an adapter answers on an open link.
    package typealias Probe = @Sendable (any AdapterLink) async -> Bool
    /// Takes the outcome of each request for a short connection interval.
    package typealias IntervalRequested = @Sendable (HCI.Outcome) -> Void

    private let target: BLETarget
    private let bus: BusConnection.Address
    private let probe: Probe
    private let intervalRequested: IntervalRequested
    private let limits: BLETimeLimits
    private let clock = BootClock()

    /// Creates a dialer for an adapter.
    ///
    /// - Parameters:
    ///   - bus: the bus of BlueZ.
    ///   - probe: checks whether a device is an adapter.
    ///   - intervalRequested: called after each request for a short connection interval.
    package init(
        _ target: BLETarget,
        bus: BusConnection.Address = .system,
        limits: BLETimeLimits = BLETimeLimits(),
        probe: @escaping Probe,
        intervalRequested: @escaping IntervalRequested = { _ in }
    ) {
        self.target = target
        self.bus = bus
        self.limits = limits
        self.probe = probe
        self.intervalRequested = intervalRequested
    }

    /// Opens a link.
    ///
    /// - Parameter last: the adapter of the last link, which is tried first, without a scan.
    /// - Returns: the link, and the address of its adapter.
    package func open(
        last: BluetoothAddress?,
        until deadline: MonotonicTime
    ) async throws(BluetoothError) -> (link: any AdapterLink, address: BluetoothAddress) {
        let monitor = try await BlueZMonitor(self.bus)
        do throws(BluetoothError) {
            let controller = try await self.powerOn(monitor)
            let connector = BLEConnector(
                self.target,
                monitor,
                limits: self.limits,
                probe: self.probe,
                intervalRequested: self.intervalRequested
            )
            if let known = (self.target.address ?? last).flatMap({ Self.device($0, monitor.tree, controller) }) {
                // The adapter need not advertise again, because BlueZ knows it.
                if let link = try? await connector.connect(
                    known,
                    until: min(deadline, self.clock.now + self.limits.known)
                ) {
                    return (link, known.address)
                }
            }
            return try await self.search(monitor, controller, connector, until: deadline)
        } catch {
            monitor.close()
            throw error
        }
    }

    private static func device(
        _ address: BluetoothAddress,
        _ tree: ObjectTree,
        _ controller: String
    ) -> Advertisement? {
        Self.devices(tree, controller).first { $0.address == address }
    }

    static func devices(_ tree: ObjectTree, _ controller: String) -> [Advertisement] {
        tree.paths(with: BlueZInterface.device, below: controller).compactMap { path in
            tree.properties(path, BlueZInterface.device).flatMap { Advertisement(path, $0) }
        }
    }

    // MARK: - The controller

    /// Switches the first controller on, and returns its path.
    func powerOn(_ monitor: BlueZMonitor) async throws(BluetoothError) -> String {
        let found = try await monitor.wait(until: self.clock.now + self.limits.controller) { tree in
            tree.paths(with: BlueZInterface.adapter, below: "/org/bluez").first
        }
        guard let controller = found else { throw .noController }
        func properties(_ tree: ObjectTree) -> ObjectTree.Properties {
            tree.properties(controller, BlueZInterface.adapter) ?? [:]
        }
        if properties(monitor.tree)["Powered"]?.bool == true { return controller }
        if properties(monitor.tree)["PowerState"]?.text == "off-blocked" { throw .blocked }
        do throws(BusError) {
            try await monitor.set(controller, BlueZInterface.adapter, "Powered", .boolean(true))
        } catch {
            guard case .refused(let name, _) = error else { throw BluetoothError(error) }
            // Linux 6.1 does not report the reason to BlueZ.
            let isBlocked = controller.split(separator: "/").last.map { RFKill.isBlocking(String($0)) } == true
            throw isBlocked || name.hasSuffix(".Blocked") ? .blocked : .notPowered(error.description)
        }
        let isOn = try await monitor.wait(until: self.clock.now + self.limits.power) { tree in
            properties(tree)["Powered"]?.bool == true ? true : nil
        }
        guard isOn == true else { throw .notPowered("the controller stays off") }
        return controller
    }

    // MARK: - Searching

    private func search(
        _ monitor: BlueZMonitor,
        _ controller: String,
        _ connector: BLEConnector,
        until deadline: MonotonicTime
    ) async throws(BluetoothError) -> (link: any AdapterLink, address: BluetoothAddress) {
        var failed: Set<BluetoothAddress> = []
        var failure: BluetoothError?
        while let device = try await self.find(monitor, controller, besides: failed, until: deadline) {
            do throws(BluetoothError) {
                return (try await connector.connect(device, until: deadline), device.address)
            } catch {
                // With a configured address, there is no other device to try.
                if error == .noDaemon || self.target.address != nil { throw error }
                failed.insert(device.address)
                // The first device was the likeliest, so its error is the most useful.
                failure = failure ?? error
            }
        }
        throw failure ?? .notFound(self.target.address)
    }

    /// Scans until a suitable device is found.
    ///
    /// Returns nil at the deadline; after a failed device, at the end of the scan.
    private func find(
        _ monitor: BlueZMonitor,
        _ controller: String,
        besides failed: Set<BluetoothAddress>,
        until deadline: MonotonicTime
    ) async throws(BluetoothError) -> Advertisement? {
        try await self.startDiscovery(monitor, controller)
        let window = self.clock.now + self.limits.scan
        let choose = { (tree: ObjectTree, isOver: Bool) -> Advertisement? in
            let devices = Self.devices(tree, controller).filter { !failed.contains($0.address) }
            let seen = devices.filter { monitor.hasSeen($0.path) }
            if let wanted = self.target.address {
                return (isOver ? devices : seen).first { $0.address == wanted }
            }
            let likely = Self.likeliest(seen)
            // A controller may report each device only once, so a device that BlueZ remembers may be in range.
            return isOver ? likely ?? Self.likeliest(devices) : likely?.likelihood == 3 ? likely : nil
        }
        var found = try await monitor.wait(until: min(window, deadline)) { choose($0, false) }
        let limit = failed.isEmpty ? deadline : window
        while found == nil {
            found = try await monitor.wait(until: min(limit, self.clock.now + self.limits.rescan)) { choose($0, true) }
            guard found == nil, self.clock.now < limit, !Task.isCancelled else { break }
            await self.stopDiscovery(monitor, controller)
            try await self.startDiscovery(monitor, controller)
        }
        await self.stopDiscovery(monitor, controller)
        return found
    }

    private static func likeliest(_ devices: [Advertisement]) -> Advertisement? {
        devices.filter { $0.likelihood > 0 }
            .max { ($0.likelihood, $0.rssi ?? -128) < ($1.likelihood, $1.rssi ?? -128) }
    }

    func startDiscovery(_ monitor: BlueZMonitor, _ controller: String) async throws(BluetoothError) {
        monitor.clearSeen()
        do throws(BusError) {
            // LE only: during a classic inquiry, BlueZ may take a dual-mode adapter for a classic one.
            try await monitor.call(
                controller,
                BlueZInterface.adapter,
                "SetDiscoveryFilter",
                [.options(["Transport": .string("le"), "DuplicateData": .boolean(true)])]
            )
            try await monitor.call(controller, BlueZInterface.adapter, "StartDiscovery")
        } catch {
            if case .refused(let name, _) = error, name.hasSuffix(".InProgress") { return }
            throw BluetoothError(error)
        }
    }

    func stopDiscovery(_ monitor: BlueZMonitor, _ controller: String) async {
        _ = try? await monitor.call(controller, BlueZInterface.adapter, "StopDiscovery")
    }
}
