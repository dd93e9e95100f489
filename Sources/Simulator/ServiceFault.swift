// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A permanent fault of an ECU in its answers to one service.
package enum ServiceFault: Hashable, Sendable {
    /// The ECU does not answer.
    case silent
    /// The ECU answers `7F`, the service and this code.
    case refusal(UInt8)
    /// Each message lacks its last byte.
    case truncated

    /// Returns the replies of a faulty ECU whose right answer would be `answer`.
    func replies(
        to request: [UInt8],
        _ answer: ServiceAnswer,
        from ecu: ECU,
        after latency: Duration
    ) -> [ECUMessage] {
        switch self {
        case .silent: return []
        case .refusal(let code):
            return [ECUMessage(ecu: ecu, delay: latency, message: [0x7F, request[0], code])]
        case .truncated:
            guard case .messages(let messages, _) = answer else { return [] }
            return messages.enumerated().map { index, message in
                ECUMessage(ecu: ecu, delay: latency + .milliseconds(40) * index, message: message.dropLast())
            }
        }
    }
}
