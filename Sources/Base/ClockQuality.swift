// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Whether the machine's clock is synchronized.
package enum ClockQuality: String, CaseIterable, Encodable, Hashable, Sendable {
    case synchronised, unsynchronised
}
