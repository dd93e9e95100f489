// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The layout of replies, which depends on the bus.
package enum MessageLayout: Sendable, Hashable {
    /// ISO 15765-4: one message for each ECU, with the number of its codes or items.
    case can
    /// J1850, ISO 9141-2 and KWP: several messages of fixed size, with three codes each or with a message number.
    case legacy
}
