// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Reads the table `[home_assistant]`.
enum HomeAssistantReader {
    /// Returns `nil` if the discovery prefix is invalid.
    static func read(_ cursor: inout ConfigurationCursor) -> Configuration.HomeAssistant? {
        let isEnabled = cursor.flag(.homeAssistantEnabled) ?? true
        let discovery: Configuration.HomeAssistant.Discovery = cursor.word(.homeAssistantDiscovery) ?? .device
        let hasClearButton = cursor.flag(.homeAssistantClearButton) ?? false
        let consoleURL = cursor.value(.homeAssistantConsoleURL, Self.consoleURL)
        do {
            return try .init(
                isEnabled: isEnabled,
                prefix: Topic(prefix: cursor.text(.homeAssistantPrefix) ?? "homeassistant"),
                discovery: discovery,
                hasClearButton: hasClearButton,
                consoleURL: consoleURL
            )
        } catch {
            cursor.report(.homeAssistantPrefix, error)
            return nil
        }
    }

    /// Checks the address of a page, without a fragment, because that names the vehicle.
    private static func consoleURL(_ text: String) throws(ValueError) -> String {
        let isPlain = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
        let rest = ["https://", "http://"].lazy.filter { text.hasPrefix($0) }.map { text.dropFirst($0.count) }.first
        guard isPlain, text.utf8.count <= 256, let rest, Self.isServer(rest.prefix { !"/?".contains($0) }) else {
            throw .invalidPageURL(text)
        }
        return text
    }

    /// Whether a text is a host, with or without a port; Home Assistant refuses all entities of a device whose page has none.
    private static func isServer(_ text: Substring) -> Bool {
        let end =
            text.hasPrefix("[") ? text.firstIndex(of: "]").map { text.index(after: $0) } : text.firstIndex(of: ":")
        let host = text[..<(end ?? text.endIndex)]
        let port = text[host.endIndex...]
        guard port.isEmpty || port.hasPrefix(":") && 1...5 ~= port.dropFirst().count,
            port.isEmpty || UInt16(port.dropFirst()).map({ $0 > 0 }) ?? false
        else { return false }
        guard host.hasPrefix("[") else {
            return host.first.map { $0.isLetter || $0.isNumber } ?? false
                && host.allSatisfy { $0.isLetter || $0.isNumber || "-._".contains($0) }
        }
        return host.hasSuffix("]") && host.count > 3
            && host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" }
    }
}
