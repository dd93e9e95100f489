// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

extension ConfigurationReader {
    mutating func homeAssistant() -> Configuration.HomeAssistant? {
        let isEnabled = self.flag(.homeAssistantEnabled) ?? true
        let discovery: Configuration.HomeAssistant.Discovery = self.word(.homeAssistantDiscovery) ?? .device
        let hasClearButton = self.flag(.homeAssistantClearButton) ?? false
        do {
            return try .init(
                isEnabled: isEnabled,
                prefix: Self.topicPrefix(self.text(.homeAssistantPrefix) ?? "homeassistant"),
                discovery: discovery,
                hasClearButton: hasClearButton
            )
        } catch {
            self.report(.homeAssistantPrefix, error)
            return nil
        }
    }
}
