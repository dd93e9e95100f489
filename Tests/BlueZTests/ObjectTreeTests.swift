// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Systemd
import Testing

@Suite("BlueZ's objects")
struct ObjectTreeTests {
    private static let path = "/org/bluez/hci0/dev_AA"
    private static let device = BlueZInterface.device

    private static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
        .dictionary(interfaces.reduce(into: [:]) { $0[.string($1.key)] = .options($1.value) }, key: "s", value: "a{sv}")
    }

    private static func added(_ path: String, _ interfaces: [String: [String: BusValue]]) -> Signal {
        let arguments: [BusValue] = [.objectPath(path), Self.interfaces(interfaces)]
        return Signal(
            path: "/",
            interface: BlueZInterface.objectManager,
            member: "InterfacesAdded",
            arguments: arguments
        )
    }

    private static func removed(_ path: String, _ interfaces: [String]) -> Signal {
        let arguments: [BusValue] = [.objectPath(path), .strings(interfaces)]
        return Signal(
            path: "/",
            interface: BlueZInterface.objectManager,
            member: "InterfacesRemoved",
            arguments: arguments
        )
    }

    private static func changed(_ properties: [String: BusValue], invalidated: [String] = []) -> Signal {
        let arguments: [BusValue] = [.string(Self.device), .options(properties), .strings(invalidated)]
        return Signal(
            path: Self.path,
            interface: BlueZInterface.properties,
            member: "PropertiesChanged",
            arguments: arguments
        )
    }

    @Test("Objects are added, changed and removed")
    func life() {
        var tree = ObjectTree()
        tree.apply(Self.added(Self.path, [Self.device: ["RSSI": .int16(-60)], "org.bluez.Battery1": [:]]))
        #expect(tree.properties(Self.path, Self.device) == ["RSSI": .int16(-60)])
        tree.apply(Self.changed(["Connected": .boolean(true)], invalidated: ["RSSI"]))
        #expect(tree.properties(Self.path, Self.device) == ["Connected": .boolean(true)])
        tree.update(Self.path, Self.device, to: .options(["Connected": .boolean(false)]))
        #expect(tree.properties(Self.path, Self.device) == ["Connected": .boolean(false)])
        tree.apply(Self.removed(Self.path, [Self.device]))
        tree.update(Self.path, Self.device, to: .options(["Connected": .boolean(true)]))
        #expect(tree.properties(Self.path, Self.device) == nil)
        #expect(tree.paths(with: "org.bluez.Battery1") == [Self.path])
        tree.apply(Self.removed(Self.path, ["org.bluez.Battery1"]))
        #expect(tree.paths(with: "org.bluez.Battery1") == [])
    }

    @Test("A change of an unknown object is ignored, and an added object replaces an old one")
    func order() {
        var tree = ObjectTree()
        tree.apply(Self.changed(["Connected": .boolean(true)]))
        tree.apply(Self.removed(Self.path, [Self.device]))
        #expect(tree.properties(Self.path, Self.device) == nil)
        tree.apply(Self.added(Self.path, [Self.device: ["Connected": .boolean(true)]]))
        tree.apply(Self.added(Self.path, [Self.device: ["Paired": .boolean(false)]]))
        #expect(tree.properties(Self.path, Self.device) == ["Paired": .boolean(false)])
        tree.reset(to: .dictionary([:], key: "o", value: "a{sa{sv}}"))
        #expect(tree.properties(Self.path, Self.device) == nil)
    }

    @Test("Paths below a parent are found in order, without its siblings")
    func paths() {
        var tree = ObjectTree()
        for path in [
            "/org/bluez/hci1/dev_C", "/org/bluez/hci0/dev_B", "/org/bluez/hci0/dev_A", "/org/bluez/hci01/dev_D",
        ] {
            tree.apply(Self.added(path, [Self.device: [:]]))
        }
        #expect(
            tree.paths(with: Self.device, below: "/org/bluez/hci0") == [
                "/org/bluez/hci0/dev_A", "/org/bluez/hci0/dev_B",
            ]
        )
        #expect(tree.paths(with: Self.device).count == 4)
        #expect(tree.paths(with: "org.bluez.Adapter1") == [])
    }

    @Test("Malformed signals change nothing")
    func nonsense() {
        var tree = ObjectTree()
        tree.apply(Self.added(Self.path, [Self.device: ["RSSI": .int16(-60)]]))
        for member in ["InterfacesAdded", "InterfacesRemoved", "PropertiesChanged", "Else"] {
            for arguments: [BusValue] in [
                [], [.byte(1)], [.byte(1), .byte(2)], [.string(Self.device), .byte(1), .byte(2)],
                [.objectPath(Self.path), .byte(1)],
                [.objectPath(Self.path), .options(["x": .byte(1)]).unwrapped, .byte(1)],
            ] {
                tree.apply(Signal(path: Self.path, interface: "x", member: member, arguments: arguments))
            }
        }
        #expect(tree.properties(Self.path, Self.device) == ["RSSI": .int16(-60)])
        tree.reset(to: .byte(1))
        #expect(tree.paths(with: Self.device) == [])
    }
}
