// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The address of an adapter, with the kind of its link.
package enum AdapterAddress: Hashable, Sendable {
    /// The Bluetooth LE adapter with this address, in capitals, or any adapter in reach.
    case ble(String?)
    /// The adapter of classic Bluetooth with this address, in capitals.
    case rfcomm(String)
    /// A Wi-Fi adapter: a host name or an address without brackets, and its port.
    case tcp(host: String, port: UInt16)
    /// A serial device and its speed in baud.
    case serial(path: String, baud: Int)
    /// The CAN interface of this machine with this name, without an adapter.
    case can(String)

    /// The speed at which an ELM327 starts with pin 6 high (ELM327 data sheet, "RS232 Baud Rate").
    package static let defaultBaudRate = 38400

    /// The speeds that adapters use and for which Linux has a constant.
    static let baudRates = [
        9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 500_000, 921_600, 1_000_000, 2_000_000,
    ]

    static let kinds = ["ble", "rfcomm", "tcp", "serial", "can"]

    /// Parses an address of any kind.
    ///
    /// The forms are `ble`, `ble:AA:BB:CC:DD:EE:FF`, `rfcomm:AA:BB:CC:DD:EE:FF`, `tcp:HOST:PORT`,
    /// `serial:/dev/ttyUSB0`, `serial:/dev/ttyUSB0?baud=115200` and `can:can0`. An IPv6 host is enclosed in brackets. The kind may
    /// have capitals.
    package init(_ text: String) throws(ValueError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts[0].lowercased(), parts.count > 1 ? parts[1] : nil) {
        case ("ble", nil):
            self = .ble(nil)
        case ("ble", let rest?):
            self = .ble(try Self.bluetoothAddress(rest))
        case ("tcp", let rest?):
            let endpoint = try Endpoint(rest)
            guard let port = endpoint.port else { throw .missingPort(text) }
            self = .tcp(host: endpoint.host, port: port)
        case ("serial", let rest?):
            self = try .init(device: rest)
        case ("can", let rest?):
            self = .can(try Self.interface(rest))
        case ("rfcomm", let rest?):
            self = .rfcomm(try Self.bluetoothAddress(rest))
        default:
            throw .unknownAdapter(text)
        }
    }

    private static func bluetoothAddress(_ text: Substring) throws(ValueError) -> String {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
            throw .invalidBluetoothAddress(String(text))
        }
        return text.uppercased()
    }

    /// Returns the name of a network interface, as the kernel allows it: up to 15 bytes.
    private static func interface(_ text: Substring) throws(ValueError) -> String {
        let isName =
            1...15 ~= text.utf8.count && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
        guard isName, text != ".", text != ".." else { throw .invalidInterface(String(text)) }
        return String(text)
    }

    private init(device text: Substring) throws(ValueError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = String(parts[0])
        guard path.hasPrefix("/"), path.utf8.count > 1, path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw .invalidDevice(path)
        }
        guard parts.count > 1 else {
            self = .serial(path: path, baud: Self.defaultBaudRate)
            return
        }
        guard parts[1].hasPrefix("baud=") else { throw .invalidDevice(String(text)) }
        let digits = parts[1].dropFirst("baud=".count)
        guard let baud = Int(digits), Self.baudRates.contains(baud) else { throw .invalidBaudRate(String(digits)) }
        self = .serial(path: path, baud: baud)
    }
}

extension AdapterAddress: CustomStringConvertible {
    /// The text that ``init(_:)`` parses, without default values.
    package var description: String {
        switch self {
        case .ble(nil): "ble"
        case .ble(.some(let address)): "ble:\(address)"
        case .rfcomm(let address): "rfcomm:\(address)"
        case .tcp(let host, let port): "tcp:\(Endpoint.bracketed(host)):\(port)"
        case .serial(let path, Self.defaultBaudRate): "serial:\(path)"
        case .serial(let path, let baud): "serial:\(path)?baud=\(baud)"
        case .can(let name): "can:\(name)"
        }
    }
}
