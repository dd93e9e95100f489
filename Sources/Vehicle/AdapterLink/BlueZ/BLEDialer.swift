// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
package import Systemd
package import Base

/// What is wanted of an adapter over Bluetooth LE.
package struct BLETarget: Hashable, Sendable {
    /// The one with this address; nil takes any that proves to be an adapter.
    package var address: BluetoothAddress?
    /// UUIDs that the configuration insists on.
    package var characteristics: SerialCharacteristics.Wish
    /// The PIN or passkey, for an adapter that wants to be paired.
    package var pin: String?

    package init(
        address: BluetoothAddress? = nil,
        characteristics: SerialCharacteristics.Wish = SerialCharacteristics.Wish(),
        pin: String? = nil
    ) {
        self.address = address
        self.characteristics = characteristics
        self.pin = pin
    }
}

/// Finds an adapter over Bluetooth LE and opens a link to it, through BlueZ.
package struct BLEDialer: Sendable {
    /// Whether something behind a link answers as an adapter does; called with an open link.
    package typealias Probe = @Sendable (any AdapterLink) async -> Bool
    /// Told what became of the wish for a short connection interval, each time.
    package typealias NoticeInterval = @Sendable (HCI.Outcome) -> Void

    private let target: BLETarget
    private let bus: BusConnection.Address
    private let probe: Probe
    private let noticeInterval: NoticeInterval
    private let limits: BLETimeLimits
    private let clock = BootClock()

    /// - Parameters:
    ///   - bus: where BlueZ is.
    ///   - probe: proves that it is an adapter.
    package init(
        _ target: BLETarget,
        bus: BusConnection.Address = .system,
        limits: BLETimeLimits = BLETimeLimits(),
        probe: @escaping Probe,
        noticeInterval: @escaping NoticeInterval = { _ in }
    ) {
        self.target = target
        self.bus = bus
        self.limits = limits
        self.probe = probe
        self.noticeInterval = noticeInterval
    }

    /// Opens a link.
    ///
    /// - Parameter last: the adapter that answered before: it is tried first, without a scan.
    /// - Returns: the link, and whose it is.
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
                noticeInterval: self.noticeInterval
            )
            if let known = (self.target.address ?? last).flatMap({ Self.device($0, monitor.tree, controller) }) {
                // It need not advertise anew: BlueZ knows it.
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

    /// The first controller, switched on.
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
            // Linux 6.1 does not tell BlueZ why.
            let isBlocked = controller.split(separator: "/").last.map { RFKill.isBlocking(String($0)) } == true
            throw isBlocked || name.hasSuffix(".Blocked") ? .blocked : .notPowered(error.description)
        }
        let isOn = try await monitor.wait(until: self.clock.now + self.limits.power) { tree in
            properties(tree)["Powered"]?.bool == true ? true : nil
        }
        guard isOn == true else { throw .notPowered("it stays off") }
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
                // The only one that may be taken: there is nobody else to try.
                if error == .noDaemon || self.target.address != nil { throw error }
                failed.insert(device.address)
                // The first was the likeliest.
                failure = failure ?? error
            }
        }
        throw failure ?? .notFound(self.target.address)
    }

    /// Scans until a device is there that may be it; nil at the deadline, or when the scan has been long enough.
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
            // What BlueZ only remembers may be in reach all the same, where the controller reports nothing twice.
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
        monitor.forgetSeen()
        do throws(BusError) {
            // LE only: with a classic inquiry beside it a dual-mode adapter may be taken for a classic one.
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
