// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop

@testable import Systemd

/// The objects and the behavior of the stand-in for `bluetoothd`; accessed on the bus thread only.
final class StandInWorld: @unchecked Sendable {
    typealias Properties = [String: BusValue]
    static let adapter = "/org/bluez/hci0"

    private(set) var journal: [String] = []
    private(set) var lastLine: StandInSerialLine?
    let bus: BusConnection
    private let controller: BlueZStandIn.Controller
    private(set) var objects: [String: [String: Properties]] = [:]
    private(set) var devices: [String: StandInDevice] = [:]
    private var connections: [String: Connection] = [:]
    private var pending: [String: OpenCall] = [:]
    var agents: [String: Agent] = [:]
    private var scanners: Set<String> = []
    var paired: Set<String> = []

    init(_ bus: BusConnection, _ controller: BlueZStandIn.Controller, _ devices: [StandInDevice]) {
        self.bus = bus
        self.controller = controller
        for device in devices { self.devices[device.path] = device }
        guard controller != .none else { return }
        var properties: Properties = ["Address": .string("00:00:00:00:00:00"), "Powered": .boolean(controller == .on)]
        if controller == .blocked { properties["PowerState"] = .string("off-blocked") }
        self.objects[Self.adapter] = [BlueZInterface.adapter: properties]
        for device in devices where device.isRemembered || device.isLeftConnected {
            self.objects[device.path] = [BlueZInterface.device: Self.properties(device)]
            if device.isLeftConnected {
                self.objects[device.path]?[BlueZInterface.device]?["Connected"] = .boolean(true)
            }
        }
    }

    func isConnected(_ path: String) -> Bool { self.property(path, "Connected") == true }
    func isScanning() -> Bool { !self.scanners.isEmpty }

    // MARK: - Calls

    func serve(_ call: OpenCall) {
        self.journal.append(call.call.member)
        let path = call.call.path
        switch (call.call.interface, call.call.member) {
        case (BlueZInterface.objectManager, "GetManagedObjects"):
            call.answer(
                .dictionary(
                    self.objects.reduce(into: [:]) { $0[.objectPath($1.key)] = Self.value($1.value) },
                    key: "o",
                    value: "a{sa{sv}}"
                )
            )
        case ("org.bluez.AgentManager1", _):
            self.serveAgent(call)
        case _ where self.objects[path] == nil:
            call.fail("org.freedesktop.DBus.Error.UnknownObject", "no object at \(path)")
        case (BlueZInterface.properties, "Set"):
            self.set(call)
        case (BlueZInterface.properties, "GetAll"):
            let interface = call.call.arguments.first?.text ?? ""
            call.answer(.options(self.objects[path]?[interface] ?? [:]))
        case (BlueZInterface.adapter, _):
            self.serveAdapter(call)
        case (BlueZInterface.device, "Connect"):
            self.connect(call, path)
        case (BlueZInterface.device, "Disconnect"):
            self.disconnect(path)
            call.answer()
        case (BlueZInterface.device, "Pair"):
            self.pair(call, path)
        case (BlueZInterface.characteristic, _):
            self.serveCharacteristic(call)
        default:
            call.fail("org.freedesktop.DBus.Error.UnknownMethod", call.call.member)
        }
    }

    private func set(_ call: OpenCall) {
        guard call.call.path == Self.adapter, call.call.arguments[1].text == "Powered" else {
            if let name = call.call.arguments[1].text, let interface = call.call.arguments[0].text {
                self.objects[call.call.path]?[interface]?[name] = call.call.arguments[2].unwrapped
            }
            return call.answer()
        }
        switch self.controller {
        case .refuses(let name): call.fail(name, "as you like it")
        case .blocked: call.fail("Blocked", "Blocked through rfkill")
        case .staysOff: call.answer()
        case .on, .off, .none:
            call.answer()
            self.change(Self.adapter, BlueZInterface.adapter, ["Powered": .boolean(true)])
        }
    }

    private func serveAdapter(_ call: OpenCall) {
        switch call.call.member {
        case "SetDiscoveryFilter":
            call.answer()
        case "StartDiscovery":
            guard self.scanners.insert(call.call.sender).inserted else { return call.fail("InProgress") }
            call.answer()
            for device in self.devices.values {
                guard let delay = device.appearsAfter else { continue }
                guard device.missedScans == 0 else {
                    self.devices[device.path]?.missedScans -= 1
                    continue
                }
                self.after(delay) { if !self.scanners.isEmpty { self.appear(device) } }
            }
        case "StopDiscovery":
            guard self.scanners.remove(call.call.sender) != nil else {
                return call.fail("Failed", "No discovery started")
            }
            call.answer()
        default:
            call.fail("NotSupported")
        }
    }

    /// Removes the state of a client whose connection to the bus has ended.
    func clientVanished(_ name: String) {
        self.scanners.remove(name)
        self.agents[name] = nil
        for path in self.connections.keys { self.connections[path]?.notified.remove(name) }
    }

    // MARK: - Devices

    /// Reports a device that the scan has found.
    private func appear(_ device: StandInDevice) {
        if self.objects[device.path] == nil {
            self.add(device.path, [BlueZInterface.device: Self.properties(device)])
        }
        self.change(device.path, BlueZInterface.device, ["RSSI": .int16(-60)])
    }

    private func connect(_ call: OpenCall, _ path: String) {
        guard self.pending[path] == nil else { return call.fail("Failed", "Operation already in progress") }
        guard !self.isConnected(path) else { return call.answer() }
        guard let connects = self.devices[path]?.connects, let delay = self.devices[path]?.connectTime else { return }
        if !connects.isEmpty { self.devices[path]?.connects.removeFirst() }
        self.pending[path] = call
        self.after(delay) {
            guard self.pending[path] === call else { return }
            if case .hangs = connects.first { return }
            self.pending[path] = nil
            self.finish(call, path, connects.first ?? .succeeds)
        }
    }

    private func finish(_ call: OpenCall, _ path: String, _ outcome: StandInDevice.Connect) {
        switch outcome {
        case .succeeds:
            self.linkUp(path)
            call.answer()
        case .succeedsWithoutSignal:
            self.linkUp(path, isSignaled: false)
            call.answer()
        case .fails(let name, let text):
            call.fail(name, text)
        case .withoutLink:
            call.answer()
        case .failsAndComesUp:
            call.fail("Failed", "le-connection-abort-by-local")
            self.linkUp(path)
        case .removesObject:
            self.remove(path, [BlueZInterface.device])
            call.fail("org.freedesktop.DBus.Error.UnknownObject", "no object at \(path)")
        case .dropsAtOnce:
            self.linkUp(path, resolves: false)
            call.answer()
            self.disconnect(path)
        case .hangs:
            break
        }
    }

    private func linkUp(_ path: String, resolves: Bool = true, isSignaled: Bool = true) {
        guard let device = self.devices[path] else { return }
        let line = StandInSerialLine(isAdapter: device.isAdapter, mtu: device.mtu)
        self.lastLine = line
        self.connections[path] = Connection(line: line)
        line.run { packet in self.bus.loop.perform({ self.send(packet, path) }, otherwise: {}) }
        if isSignaled {
            self.change(path, BlueZInterface.device, ["Connected": .boolean(true)])
        } else {
            self.objects[path]?[BlueZInterface.device]?["Connected"] = .boolean(true)
        }
        guard resolves, let delay = device.servicesTime else { return }
        self.after(delay) {
            guard self.connections[path]?.line === line else { return }
            self.addServices(of: device)
            self.change(path, BlueZInterface.device, ["ServicesResolved": .boolean(true)])
        }
    }

    /// Disconnects a device, on either side's request.
    func disconnect(_ path: String) {
        self.pending.removeValue(forKey: path)?.fail("Failed", "le-connection-abort-by-local")
        guard self.isConnected(path) else { return }
        if let connection = self.connections.removeValue(forKey: path) {
            connection.line.close()
            connection.notify?.close()
            connection.write?.close()
        }
        let off: Properties = ["Connected": .boolean(false), "ServicesResolved": .boolean(false)]
        self.change(path, BlueZInterface.device, off)
        for child in self.objects.keys where child.hasPrefix(path + "/") {
            self.remove(child, Array(self.objects[child, default: [:]].keys))
        }
    }

    /// Disconnects a device and removes its object.
    func forget(_ path: String) {
        self.disconnect(path)
        self.remove(path, [BlueZInterface.device])
    }

    /// Removes a device's object without a disconnection.
    func removeObject(_ path: String) {
        self.remove(path, [BlueZInterface.device])
    }

    /// Closes all sockets, as the end of a process does.
    func closeSockets() {
        for connection in self.connections.values {
            connection.notify?.close()
            connection.write?.close()
        }
    }

    private func addServices(of device: StandInDevice) {
        var handle = 16
        for service in device.services {
            let servicePath = "\(device.path)/service00\(handle)"
            self.add(
                servicePath,
                [BlueZInterface.gattService: ["UUID": .string(service.uuid), "Device": .objectPath(device.path)]]
            )
            for characteristic in service.characteristics {
                handle += 1
                self.add(
                    "\(servicePath)/char00\(handle)",
                    [
                        BlueZInterface.characteristic: [
                            "UUID": .string(characteristic.uuid), "Service": .objectPath(servicePath),
                            "Flags": .strings(characteristic.flags), "MTU": .uint16(UInt16(device.mtu)),
                        ]
                    ]
                )
            }
            handle += 1
        }
    }

    // MARK: - Characteristics

    private func serveCharacteristic(_ call: OpenCall) {
        let parts = call.call.path.split(separator: "/")
        let path = "/" + parts.prefix(4).joined(separator: "/")
        guard let device = self.devices[path], self.connections[path] != nil,
            let properties = self.objects[call.call.path]?[BlueZInterface.characteristic]
        else { return call.fail("Failed", "Not connected") }
        let flags = properties["Flags"]?.texts ?? []
        let isDead = device.dead.contains(properties["UUID"]?.text ?? "")
        let isGuarded = device.guardsWritingOnly ? call.call.member == "WriteValue" : call.call.member != "AcquireWrite"
        if device.pairing != .open, !self.paired.contains(path), isGuarded {
            return call.fail("NotPermitted", "Not paired")
        }
        switch call.call.member {
        case "AcquireNotify":
            if device.sockets == .taken { return call.fail("NotPermitted", "Notify acquired") }
            guard device.sockets != .none, flags.contains("notify") else { return call.fail("NotSupported") }
            let (ours, other) = PacketSocket.pair()
            if !isDead { self.connections[path]?.notify = ours }
            call.answer(.descriptor(OwnedDescriptor(other)), .uint16(UInt16(device.mtu)))
        case "AcquireWrite":
            guard device.sockets == .both, flags.contains("write-without-response") else {
                return call.fail("NotSupported")
            }
            let (ours, other) = PacketSocket.pair()
            self.connections[path]?.write = ours
            let line = self.connections[path]?.line
            ours.receive { packet in if !isDead { line?.received(packet) } }
            call.answer(.descriptor(OwnedDescriptor(other)), .uint16(UInt16(device.mtu)))
        case "StartNotify":
            if device.sockets == .taken { return call.fail("NotPermitted", "Notify acquired") }
            guard flags.contains("notify") || flags.contains("indicate") else { return call.fail("NotSupported") }
            self.connections[path]?.notified.insert(isDead ? "" : call.call.path)
            call.answer()
        case "WriteValue":
            self.write(call, flags, path, isDead)
        default:
            call.fail("NotSupported")
        }
    }

    private func write(_ call: OpenCall, _ flags: [String], _ path: String, _ isDead: Bool) {
        let wanted = call.call.arguments.last?.entries?["type"]?.text == "request" ? "write" : "write-without-response"
        guard flags.contains(wanted), let packet = call.call.arguments.first?.byteArray,
            packet.count <= (self.devices[path]?.mtu ?? 23) - 3
        else { return call.fail("Failed", "Failed to initiate write") }
        self.journal.append("WriteValue \(wanted)")
        call.answer()
        if !isDead { self.connections[path]?.line.received(packet) }
    }

    /// Delivers a packet from the adapter.
    func send(_ packet: [UInt8], _ path: String) {
        guard let connection = self.connections[path] else { return }
        if let notify = connection.notify { return notify.send(packet) }
        for characteristic in connection.notified where characteristic.hasPrefix("/") {
            self.change(characteristic, BlueZInterface.characteristic, ["Value": .bytes(packet)])
        }
    }

    // MARK: - Objects

    private func after(_ delay: Duration, _ job: @escaping @Sendable () -> Void) {
        guard delay > .zero else { return job() }
        Task {
            try? await BootClock().sleep(until: BootClock().now + delay)
            self.bus.loop.perform(job, otherwise: {})
        }
    }

    private func add(_ path: String, _ interfaces: [String: Properties]) {
        self.objects[path] = interfaces
        self.emit("/", BlueZInterface.objectManager, "InterfacesAdded", [.objectPath(path), Self.value(interfaces)])
    }

    private func remove(_ path: String, _ interfaces: [String]) {
        self.objects[path] = nil
        self.emit("/", BlueZInterface.objectManager, "InterfacesRemoved", [.objectPath(path), .strings(interfaces)])
    }

    func change(_ path: String, _ interface: String, _ properties: Properties) {
        guard self.objects[path] != nil else { return }
        self.objects[path]?[interface]?.merge(properties) { $1 }
        self.emit(
            path,
            BlueZInterface.properties,
            "PropertiesChanged",
            [.string(interface), .options(properties), .strings([])]
        )
    }

    private func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
        try? self.bus.loop.send(Signal(path: path, interface: interface, member: member, arguments: arguments))
    }
}
