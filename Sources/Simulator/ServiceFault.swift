// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// What an ECU does wrong whenever it is asked for a service.
package enum ServiceFault: Hashable, Sendable {
    /// It says nothing.
    case silent
    /// It answers `7F`, the service and this code.
    case refuses(UInt8)
    /// The last byte of each message is missing.
    case cutsShort

    /// What comes of it where `answer` would be right.
    func replies(
        to request: [UInt8],
        _ answer: SimulatedVehicle.Answer,
        from ecu: ECU,
        after latency: Duration
    ) -> [ECUReply] {
        switch self {
        case .silent: return []
        case .refuses(let code):
            return [ECUReply(ecu: ecu, delay: latency, message: [0x7F, request[0], code])]
        case .cutsShort:
            guard case .messages(let messages, _) = answer else { return [] }
            return messages.enumerated().map { index, message in
                ECUReply(ecu: ecu, delay: latency + .milliseconds(40) * index, message: message.dropLast())
            }
        }
    }
}
