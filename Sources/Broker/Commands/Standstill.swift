// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import OBD2

/// Whether the vehicle stands with its engine off: what is asked right before something that may not happen otherwise.
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

    /// Whether an engine that runs, or of which nobody knows, is no objection; a vehicle that moves is one always.
    private let ignoresEngine: Bool
    private var state = State.askingEngineSpeed
    /// In revolutions per minute, as it was read last; nil where it was not.
    private(set) var engineSpeed: Double?

    init(ignoringEngine ignoresEngine: Bool = false) {
        self.ignoresEngine = ignoresEngine
    }

    /// The first step.
    func begin() -> Step { .ask(.currentData(Self.engineSpeed)) }

    /// The request was answered.
    mutating func answered(_ answers: [String: ECUAnswer]) -> Step {
        switch self.state {
        case .askingEngineSpeed:
            self.engineSpeed = Self.highest(answers, Self.engineSpeed)
            switch self.engineSpeed {
            case nil where !self.ignoresEngine:
                return .refused(.engineSpeedUnknown, "no ECU tells the engine speed")
            case .some(let speed) where speed > 0 && !self.ignoresEngine:
                return .refused(.engineRunning, "the engine runs at \(Int(speed)) rpm")
            default:
                self.state = .askingVehicleSpeed
                return .ask(.currentData(Self.vehicleSpeed))
            }
        case .askingVehicleSpeed:
            switch Self.highest(answers, Self.vehicleSpeed) {
            case nil: return .refused(.vehicleSpeedUnknown, "no ECU tells the vehicle speed")
            case 0: return .stands
            case .some(let speed): return .refused(.vehicleMoving, "the vehicle moves at \(Int(speed)) km/h")
            }
        }
    }

    /// The highest value that any ECU tells; nil where none does, or one can't be believed.
    private static func highest(_ answers: [String: ECUAnswer], _ pid: PID) -> Double? {
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
