// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How replies are laid out, which depends on the bus.
package enum MessageLayout: Sendable, Hashable {
    /// ISO 15765-4: one message for each ECU, which counts its codes or items.
    case can
    /// J1850, ISO 9141-2 and KWP: messages of fixed size, three codes each, or numbered.
    case legacy
}
