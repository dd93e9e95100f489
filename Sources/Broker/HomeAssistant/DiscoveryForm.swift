// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The form of the discovery messages.
package enum DiscoveryForm: String, CaseIterable, Hashable, Sendable {
    /// The whole vehicle has one message; Home Assistant 2024.11 and later read it.
    case device
    /// Each entity has a message; every release of Home Assistant reads it.
    case component
}
