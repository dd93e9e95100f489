// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// Reads the table `[adapter]`.
enum AdapterReader {
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.Adapter {
        var adapter = Configuration.Adapter(
            address: cursor.value(.adapterAddress, AdapterAddress.init) ?? .ble(nil),
            protocolChoice: cursor.value(.adapterProtocol, ProtocolChoice.init) ?? .automatic,
            pin: Self.pin(&cursor),
            notifyUUID: cursor.value(.adapterNotifyUUID, Self.uuid),
            writeUUID: cursor.value(.adapterWriteUUID, Self.uuid)
        )
        if adapter.pin != nil { adapter.pinFile = cursor.files.place(of: Key.adapterPIN.path).file }
        if case .ble = adapter.address { return adapter }
        let keys: [(Key, String?)] = [
            (.adapterPIN, adapter.pin), (.adapterNotifyUUID, adapter.notifyUUID),
            (.adapterWriteUUID, adapter.writeUUID),
        ]
        for (key, value) in keys where value != nil { cursor.report(key.path, "has no effect without a ble address") }
        return adapter
    }

    /// Returns the passkey of Bluetooth LE (Bluetooth Core, Volume 3, Part H, 2.3.5.3).
    private static func pin(_ cursor: inout ConfigurationCursor) -> String? {
        switch cursor.value(.adapterPIN) {
        case nil, .text(""): return nil
        case .text(let text) where 1...6 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }: return text
        case .some:
            cursor.report(.adapterPIN, .invalidPIN)
            return nil
        }
    }

    private static func uuid(_ text: String) throws(ValueError) -> String {
        let digits = text.filter { $0 != "-" }
        guard [4, 8, 32].contains(digits.utf8.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw .invalidUUID(text)
        }
        return text
    }
}
