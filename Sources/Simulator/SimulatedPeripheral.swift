// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import AdapterLink
import Base
import EventLoop
package import Systemd

/// A simulated adapter as a Bluetooth LE peripheral, offered through BlueZ to any central in reach.
package final class SimulatedPeripheral: Sendable {
    package struct Options: Sendable {
        /// The D-Bus on which BlueZ runs.
        package var bus = BusConnection.Address.system
        /// The controller to use, such as `hci0`.
        package var controller = "hci0"
        /// The name that the peripheral advertises.
        package var name = "OBDII"
        /// The service that carries the serial line.
        package var profile = SerialProfile.known[0]
        package var adapter = SimulatedAdapter.Options()

        package init() {}
    }

    private struct State {
        var adapter: SimulatedAdapter
        var isNotifying = false
        /// The largest packet that the central accepts, in bytes.
        var packetSize = 20
    }

    private static let root = "/org/obd_agent/simulator"
    private static let service = root + "/service0"
    private static let notify = service + "/char0"
    private static let write = service + "/char1"
    private static let advertisement = root + "/advertisement0"
    private static let advertisementInterface = "org.bluez.LEAdvertisement1"

    private let options: Options
    private let vehicle: SharedVehicle
    private let bus: BusConnection
    private let state: Locked<State>
    private let waiter = Waiter()
    private let clock = BootClock()

    /// Registers the peripheral with BlueZ, and begins to advertise.
    package init(_ options: Options = Options(), vehicle: SharedVehicle) async throws(SimulatorError) {
        self.options = options
        self.vehicle = vehicle
        self.state = Locked(State(adapter: SimulatedAdapter(options.adapter)))
        let waiter = self.waiter
        do throws(BusError) {
            self.bus = try await BusConnection(options.bus) { waiter.notify() }
        } catch {
            throw .bluetooth(error.description)
        }
        do throws(BusError) {
            try await self.register()
        } catch {
            self.bus.close()
            throw .bluetooth(error.description)
        }
    }

    private func register() async throws(BusError) {
        for path in [Self.root, Self.service, Self.notify, Self.write, Self.advertisement] {
            // The reference is weak: the bus owns the handler, and the peripheral owns the bus.
            try await self.bus.export(path) { [weak self] call in
                self?.answer(call)
                    ?? .failure(name: "org.freedesktop.DBus.Error.UnknownObject", message: "the simulator has ended")
            }
        }
        let controller = "/org/bluez/\(self.options.controller)"
        _ = try await self.bus.call(
            MethodCall(
                BlueZInterface.service,
                controller,
                BlueZInterface.properties,
                "Set",
                [.string(BlueZInterface.adapter), .string("Powered"), .variant(.boolean(true))]
            )
        )
        for (interface, method, path) in [
            ("org.bluez.GattManager1", "RegisterApplication", Self.root),
            ("org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", Self.advertisement),
        ] {
            let arguments: [BusValue] = [.objectPath(path), .options([:])]
            _ = try await self.bus.call(
                MethodCall(BlueZInterface.service, controller, interface, method, arguments),
                timeout: .seconds(30)
            )
        }
    }

    /// Serves the adapter until the task is cancelled or the connection to D-Bus is lost.
    package func run() async throws(SimulatorError) {
        defer { self.bus.close() }
        while !Task.isCancelled {
            let now = self.clock.now
            let (packets, next) = self.state.withLock { state in
                let bytes = state.adapter.output(at: now)
                let packets = state.isNotifying ? Self.packets(bytes, state.packetSize) : []
                return (packets, state.adapter.nextOutput)
            }
            for packet in packets {
                do throws(BusError) { try await self.send(packet) } catch { throw .bluetooth(error.description) }
            }
            let deadline = next ?? now + .seconds(3600)
            _ = await EventLoop.shared.wait(until: deadline, self.waiter)
            guard !self.bus.isClosed else { throw .bluetooth("the connection to D-Bus was lost") }
        }
    }

    private static func packets(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes.dropFirst($0).prefix(size)) }
    }

    private func send(_ packet: [UInt8]) async throws(BusError) {
        try await self.bus.emit(
            Signal(
                path: Self.notify,
                interface: BlueZInterface.properties,
                member: "PropertiesChanged",
                arguments: [.string(BlueZInterface.characteristic), .options(["Value": .bytes(packet)]), .strings([])]
            )
        )
    }

    // MARK: - Calls from BlueZ

    private func answer(_ call: IncomingCall) -> CallReply {
        switch (call.path, call.member) {
        case (Self.root, "GetManagedObjects"):
            return .success([self.managedObjects])
        case (_, "GetAll"):
            guard let interface = call.arguments.first?.text, let properties = self.objects[call.path]?[interface]
            else {
                return .failure(name: "org.freedesktop.DBus.Error.UnknownInterface", message: "no such interface")
            }
            return .success([.options(properties)])
        case (Self.notify, "StartNotify"):
            self.state.withLock { $0.isNotifying = true }
        case (Self.notify, "StopNotify"):
            self.state.withLock { $0.isNotifying = false }
        case (Self.write, "WriteValue"):
            self.received(call.arguments)
        case (Self.advertisement, "Release"):
            break
        default:
            return .failure(name: "org.bluez.Error.NotSupported", message: "\(call.member) is not supported")
        }
        return .success([])
    }

    private func received(_ arguments: [BusValue]) {
        guard let bytes = arguments.first?.byteArray else { return }
        let now = self.clock.now
        self.state.withLock { state in
            if let mtu = arguments.last?.entries?["mtu"]?.integer, mtu >= 23 { state.packetSize = min(mtu, 517) - 3 }
            self.vehicle.withVehicle { state.adapter.bytesReceived(bytes, at: now, in: &$0) }
        }
        self.waiter.notify()
    }

    /// The properties of each object, by object path and interface.
    private var objects: [String: [String: [String: BusValue]]] {
        let profile = self.options.profile
        return [
            Self.service: [
                BlueZInterface.gattService: ["UUID": .string("\(profile.service)"), "Primary": .boolean(true)]
            ],
            Self.notify: [
                BlueZInterface.characteristic: [
                    "UUID": .string("\(profile.notify)"), "Service": .objectPath(Self.service),
                    "Flags": .strings(["notify"]),
                ]
            ],
            Self.write: [
                BlueZInterface.characteristic: [
                    "UUID": .string("\(profile.write)"), "Service": .objectPath(Self.service),
                    "Flags": .strings(["write", "write-without-response"]),
                ]
            ],
            Self.advertisement: [
                Self.advertisementInterface: [
                    "Type": .string("peripheral"), "ServiceUUIDs": .strings(["\(profile.service)"]),
                    "LocalName": .string(self.options.name),
                ]
            ],
        ]
    }

    private var managedObjects: BusValue {
        var entries: [BusValue: BusValue] = [:]
        for (path, interfaces) in self.objects where path != Self.advertisement {
            let contents = Dictionary(
                interfaces.map { (BusValue.string($0.key), BusValue.options($0.value)) },
                uniquingKeysWith: { first, _ in first }
            )
            entries[.objectPath(path)] = .dictionary(contents, key: "s", value: "a{sv}")
        }
        return .dictionary(entries, key: "o", value: "a{sa{sv}}")
    }
}
