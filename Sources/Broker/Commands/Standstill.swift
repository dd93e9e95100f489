// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2

/// The steps that find out whether the vehicle stands with its engine off, right before a request that requires it.
struct Standstill: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case ask(Request)
        case stands
        case refused(CommandResponse.Reason, String)
    }

    private enum State: Hashable, Sendable {
        case askingEngineSpeed
        case askingVehicleSpeed
    }

    private static let engineSpeed: PID = 0x0C
    private static let vehicleSpeed: PID = 0x0D

    /// Whether a running engine, or an unknown engine speed, is accepted; a moving vehicle never is.
    private let ignoresEngine: Bool
    private var state = State.askingEngineSpeed
    /// The last engine speed, in revolutions per minute; nil if it could not be read.
    private(set) var engineSpeed: Double?

    init(ignoringEngine ignoresEngine: Bool = false) {
        self.ignoresEngine = ignoresEngine
    }

    /// Returns the first step.
    func begin() -> Step { .ask(.currentData(Self.engineSpeed)) }

    /// Processes the answers by ECU, and returns the next step.
    mutating func answered(_ answers: [String: ECUReply]) -> Step {
        switch self.state {
        case .askingEngineSpeed:
            self.engineSpeed = Self.highest(answers, Self.engineSpeed)
            switch self.engineSpeed {
            case nil where !self.ignoresEngine:
                return .refused(.engineSpeedUnknown, "No ECU reports the engine speed.")
            case .some(let speed) where speed > 0 && !self.ignoresEngine:
                return .refused(.engineRunning, "The engine runs at \(Int(speed)) rpm.")
            default:
                self.state = .askingVehicleSpeed
                return .ask(.currentData(Self.vehicleSpeed))
            }
        case .askingVehicleSpeed:
            switch Self.highest(answers, Self.vehicleSpeed) {
            case nil: return .refused(.vehicleSpeedUnknown, "No ECU reports the vehicle speed.")
            case 0: return .stands
            case .some(let speed): return .refused(.vehicleMoving, "The vehicle moves at \(Int(speed)) km/h.")
            }
        }
    }

    /// Returns the highest value of all ECUs; nil if no ECU reports one, or if one value is invalid.
    private static func highest(_ answers: [String: ECUReply], _ pid: PID) -> Double? {
        guard let parameter = Parameter.withPID(pid) else { return nil }
        var highest: Double?
        for case .positive(let messages) in answers.values {
            guard let reply = try? Reply(messages: messages, to: .currentData(pid)), !parameter.isSentinel(reply.data),
                case .number(let value) = try? parameter.decode(reply.data).first?.value
            else { return nil }
            highest = max(highest ?? value, value)
        }
        return highest
    }
}
