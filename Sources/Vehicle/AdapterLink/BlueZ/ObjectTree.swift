// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Systemd

/// BlueZ's objects and their properties, built from D-Bus messages (D-Bus ObjectManager).
///
/// The initial state of all objects comes first. Each signal then changes it.
package struct ObjectTree: Sendable {
    package typealias Properties = [String: BusValue]

    private var objects: [String: [String: Properties]] = [:]

    package init() {}

    /// Replaces all objects with the answer of `GetManagedObjects`, `a{oa{sa{sv}}}`.
    package mutating func reset(to objects: BusValue) {
        self.objects = [:]
        for (path, interfaces) in objects.entries ?? [:] { self.add(path, interfaces) }
    }

    /// Applies `InterfacesAdded`, `InterfacesRemoved` or `PropertiesChanged`, and ignores other signals.
    package mutating func apply(_ signal: Signal) {
        switch signal.member {
        case "InterfacesAdded" where signal.arguments.count == 2:
            if let path = signal.arguments[0].text { self.add(path, signal.arguments[1]) }
        case "InterfacesRemoved" where signal.arguments.count == 2:
            guard let path = signal.arguments[0].text else { return }
            for interface in signal.arguments[1].texts ?? [] { self.objects[path]?[interface] = nil }
            if self.objects[path]?.isEmpty == true { self.objects[path] = nil }
        case "PropertiesChanged" where signal.arguments.count == 3:
            guard let interface = signal.arguments[0].text, self.objects[signal.path]?[interface] != nil else { return }
            for (name, value) in signal.arguments[1].entries ?? [:] {
                self.objects[signal.path]?[interface]?[name] = value.unwrapped
            }
            for name in signal.arguments[2].texts ?? [] { self.objects[signal.path]?[interface]?[name] = nil }
        default:
            break
        }
    }

    /// Replaces an object's properties with the answer of `GetAll`, `a{sv}`; does nothing if the object is gone.
    package mutating func update(_ path: String, _ interface: String, to properties: BusValue) {
        guard self.objects[path]?[interface] != nil else { return }
        self.add(path, interface, properties)
    }

    private mutating func add(_ path: String, _ interfaces: BusValue) {
        for (interface, properties) in interfaces.entries ?? [:] { self.add(path, interface, properties) }
    }

    private mutating func add(_ path: String, _ interface: String, _ properties: BusValue) {
        self.objects[path, default: [:]][interface] = (properties.entries ?? [:]).mapValues(\.unwrapped)
    }

    /// Returns the properties of an object's interface; nil if the object or the interface does not exist.
    package func properties(_ path: String, _ interface: String) -> Properties? {
        self.objects[path]?[interface]
    }

    /// Returns the paths of the objects below a parent that have an interface, sorted.
    package func paths(with interface: String, below parent: String = "/") -> [String] {
        let prefix = parent.hasSuffix("/") ? parent : parent + "/"
        return self.objects.filter { $0.key.hasPrefix(prefix) && $0.value[interface] != nil }.keys.sorted()
    }
}

/// The names of BlueZ's interfaces.
package enum BlueZInterface {
    package static let service = "org.bluez"
    package static let adapter = "org.bluez.Adapter1"
    package static let device = "org.bluez.Device1"
    package static let gattService = "org.bluez.GattService1"
    package static let characteristic = "org.bluez.GattCharacteristic1"
    package static let properties = "org.freedesktop.DBus.Properties"
    package static let objectManager = "org.freedesktop.DBus.ObjectManager"
}
