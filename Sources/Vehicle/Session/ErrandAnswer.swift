// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

/// What came back for a request to all ECUs.
struct ErrandAnswer: Sendable {
    private let outcome: BusOutcome
    /// The positive answers.
    let replies: [ECUAddress: Reply]
    /// Part of the answer was thrown away: it may have been anybody's.
    let isDamaged: Bool
    /// How many messages are no answer to the request, beside those that the adapter's dialogue has dropped.
    let dropped: Int

    /// On the older buses some answers have several messages, and nothing tells that the last one is missing; on J1939
    /// nothing tells whose message was damaged, and who has never spoken.
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
                    // What an ECU says that it does not know is not damaged.
                    dropped += error == .notProgrammed ? 0 : 1
                }
            }
        }
        self.replies = replies
        self.dropped = dropped
        self.isDamaged = result.dropped + dropped > 0
    }

    /// Whether nothing of it could be read.
    var isUnusable: Bool { if case .unusable = self.outcome { true } else { false } }

    /// The ECUs that said something.
    var ecus: Set<ECUAddress> {
        if case .answered(let answers) = self.outcome { Set(answers.keys) } else { [] }
    }

    /// What one ECU told.
    enum Told: Sendable {
        case reply(Reply)
        /// It does not have this.
        case notSupported
        /// It has this, and does not tell it now.
        case refused
        /// Nothing, which on CAN is how an ECU says that it does not have this, and may be an accident once.
        case silent
        /// Nobody knows.
        case unreadable

        /// Whether the ECU has said so.
        var isNotSupported: Bool { if case .notSupported = self { true } else { false } }
    }

    /// What `ecu` told.
    func told(by ecu: ECUAddress) -> Told {
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
        case .busUnavailable, .unusable, .refused, .withdrawn, .adapterUnsettled, .adapterRestarted, .adapterSilent:
            return .unreadable
        }
    }

    /// Negative response codes that say that an ECU does not have a service, or this part of it, at all.
    private static let notSupported: Set<UInt8> = [0x10, 0x11, 0x12, 0x31, 0x7E, 0x7F]
}
