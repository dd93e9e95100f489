// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The answer of one ECU to a request.
enum ServiceAnswer: Sendable {
    /// The payloads of the positive response. With `sendsPending`, a "response pending" (7F xx 78) comes first.
    case messages([[UInt8]], sendsPending: Bool = false)
    /// A negative response with this code.
    case refusal(UInt8)

    static let notSupported = Self.refusal(0x11)
    static let outOfRange = Self.refusal(0x12)
    static let conditionsNotCorrect = Self.refusal(0x22)
}
