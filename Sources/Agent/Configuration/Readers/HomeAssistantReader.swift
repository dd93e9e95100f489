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
        let host = ["https://", "http://"].lazy.filter { text.hasPrefix($0) }.map { text.dropFirst($0.count) }.first
        guard isPlain, text.utf8.count <= 256, let first = host?.first, first.isLetter || first.isNumber || first == "["
        else {
            throw .invalidPageURL(text)
        }
        return text
    }
}
