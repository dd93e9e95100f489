// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The form of the discovery messages.
package enum DiscoveryForm: String, CaseIterable, Hashable, Sendable {
    /// One message for the whole vehicle, for Home Assistant 2024.11 and later.
    case device
    /// One message for each entity, for any release of Home Assistant.
    case component
}
