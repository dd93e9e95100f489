// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// The answer to a request to all ECUs.
struct ErrandAnswer: Sendable {
    private let outcome: BusOutcome
    /// The positive answers.
    let replies: [ECUAddress: Reply]
    /// Whether part of the answer was dropped; it may belong to any ECU.
    let isDamaged: Bool
    /// The number of messages that do not answer the request, besides those that the adapter's dialogue has dropped.
    let dropped: Int

    /// Whether a damaged answer makes all replies doubtful.
    ///
    /// On the older buses some answers have several messages, and nothing shows that the last one is missing. On J1939
    /// nothing shows which ECU sent a damaged message, or that an ECU has sent none.
    private let isSpread: Bool

    init(_ result: BusResult, to request: Request, of vehicle: VehicleIdentity) {
        self.isSpread =
            vehicle.dialect == .j1939
            || vehicle.layout == .legacy
                && ![.currentData, .freezeFrame, .control].contains(request.service)
        self.outcome = result.outcome
        var replies: [ECUAddress: Reply] = [:]
        var dropped = 0
        if case .answered(let answers) = result.outcome {
            for (ecu, answer) in answers {
                guard case .positive(let messages) = answer else { continue }
                do throws(DecodingError) {
                    replies[ecu] = try Reply(messages: try vehicle.classic(messages, to: request), to: request)
                } catch {
                    // A value that the ECU marks as not programmed is not damaged.
                    dropped += error == .notProgrammed ? 0 : 1
                }
            }
        }
        self.replies = replies
        self.dropped = dropped
        self.isDamaged = result.dropped + dropped > 0
    }

    /// Whether no part of the answer could be read.
    var isUnusable: Bool { if case .unusable = self.outcome { true } else { false } }

    /// Whether the request was sent, and nothing that ECUs answered was lost.
    var isUndamaged: Bool {
        switch self.outcome {
        case .answered, .noData: !self.isDamaged
        default: false
        }
    }

    /// The ECUs that answered, positively or negatively.
    var ecus: Set<ECUAddress> {
        if case .answered(let answers) = self.outcome { Set(answers.keys) } else { [] }
    }

    /// The result of the request at one ECU.
    enum ECUResult: Sendable {
        case reply(Reply)
        /// The ECU does not support the request.
        case notSupported
        /// The ECU supports the request, and rejects it now.
        case refused
        /// The ECU did not answer.
        ///
        /// On CAN an ECU stays silent if it does not support the request. A single silence may be a lost answer.
        case silent
        /// The answer is damaged, or it is unknown whether the ECU answered.
        case unreadable

        var isReply: Bool { if case .reply = self { true } else { false } }

        /// Whether the ECU has an answer that could not be had this time.
        var isFailed: Bool {
            switch self {
            case .refused, .unreadable: true
            case .reply, .notSupported, .silent: false
            }
        }

        /// Whether the ECU has answered that it does not support the request.
        var isNotSupported: Bool { if case .notSupported = self { true } else { false } }
    }

    /// Returns the result of the request at an ECU.
    func result(of ecu: ECUAddress) -> ECUResult {
        switch self.outcome {
        case .answered(let answers):
            switch answers[ecu] {
            case .positive:
                guard let reply = self.replies[ecu], !(self.isSpread && self.isDamaged) else { return .unreadable }
                return .reply(reply)
            case .negative(let code): return Self.notSupported.contains(code) ? .notSupported : .refused
            case nil: return self.isDamaged ? .unreadable : .silent
            }
        case .noData: return self.isDamaged ? .unreadable : .silent
        case .busUnavailable, .unusable, .refused, .withdrawn, .settingsNotRestored, .adapterRestarted, .adapterSilent:
            return .unreadable
        }
    }

    /// The negative response codes of an ECU that does not support a service, or this part of it, at all.
    static let notSupported: Set<UInt8> = [0x10, 0x11, 0x12, 0x31, 0x7E, 0x7F]
}
