// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How entities are announced.
package enum DiscoveryForm: String, CaseIterable, Hashable, Sendable {
    /// A message for the whole vehicle: Home Assistant 2024.11 and later.
    case device
    /// A message for each entity: any release.
    case component
}
