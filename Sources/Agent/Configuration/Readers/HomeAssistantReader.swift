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
        do {
            return try .init(
                isEnabled: isEnabled,
                prefix: Topic(prefix: cursor.text(.homeAssistantPrefix) ?? "homeassistant"),
                discovery: discovery,
                hasClearButton: hasClearButton
            )
        } catch {
            cursor.report(.homeAssistantPrefix, error)
            return nil
        }
    }
}
