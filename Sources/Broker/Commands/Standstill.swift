// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
package import OBD2

/// The facts about a vehicle that decide how to find out whether it stands.
package struct DriveFacts: Hashable, Sendable {
    /// Whether an ECU supports the engine speed.
    package var hasEngineSpeed: Bool
    /// Whether the vehicle may drive off without its engine: no ECU supports the engine speed, or one has a traction
    /// battery.
    package var isElectric: Bool
    /// The custom parameters with the speed of the vehicle, besides PID 0D.
    package var speeds: [ParameterKey]
    /// The custom parameters that show whether the drive is enabled.
    package var ready: [ParameterKey]

    package init(
        hasEngineSpeed: Bool = true,
        isElectric: Bool = false,
        speeds: [ParameterKey] = [],
        ready: [ParameterKey] = []
    ) {
        self.hasEngineSpeed = hasEngineSpeed
        self.isElectric = isElectric
        self.speeds = speeds
        self.ready = ready
    }
}

/// The steps that find out whether the vehicle stands with its drive off, right before a request that requires it.
///
/// A vehicle with an engine stands if engine speed and vehicle speed are zero. One that drives electrically stands if
/// twice, a second apart, its drive is not enabled and its speed is zero.
struct Standstill: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case ask(Request)
        /// Read a custom parameter.
        case read(ParameterKey)
        case pause(Duration)
        case stands
        case refused(CommandResponse.Reason, String)
    }

    private enum Check: Hashable, Sendable {
        case engineSpeed
        case ready(ParameterKey)
        case vehicleSpeed
        case customSpeed(ParameterKey)
        /// Judge the speeds that were read since the last judgement.
        case judgement
        case pause
    }

    private enum Speed: Hashable, Sendable {
        case unknown
        case known(Double)
        /// An ECU reports a value that is no speed.
        case invalid
    }

    private static let engineSpeed: PID = 0x0C
    private static let vehicleSpeed: PID = 0x0D
    private static let pause = Duration.seconds(1)

    /// Whether a running engine, or an unknown one, is accepted; a moving vehicle never is.
    private let ignoresEngine: Bool
    private let hasEngineSpeed: Bool
    private var checks: ArraySlice<Check>
    private var speed = Speed.unknown
    /// The last engine speed, in revolutions per minute; nil if it could not be read.
    private(set) var engineSpeed: Double?

    init(_ facts: DriveFacts = DriveFacts(), ignoringEngine ignoresEngine: Bool = false) {
        self.ignoresEngine = ignoresEngine
        self.hasEngineSpeed = facts.hasEngineSpeed
        let round =
            facts.ready.map(Check.ready) + [.vehicleSpeed] + facts.speeds.map(Check.customSpeed) + [.judgement]
        self.checks =
            ((facts.hasEngineSpeed || !facts.isElectric ? [.engineSpeed] : []) + round
            + (facts.isElectric ? [.pause] + round : []))[...]
    }

    /// Returns the first step.
    func begin() -> Step { self.step }

    /// The step of the next check.
    private var step: Step {
        switch self.checks.first {
        case .engineSpeed: .ask(.currentData(Self.engineSpeed))
        case .vehicleSpeed: .ask(.currentData(Self.vehicleSpeed))
        case .ready(let key), .customSpeed(let key): .read(key)
        case .pause: .pause(Self.pause)
        case .judgement, nil: .stands
        }
    }

    /// Processes the answers by ECU, and returns the next step.
    mutating func answered(_ answers: [String: ECUReply]) -> Step {
        switch self.checks.popFirst() {
        case .engineSpeed:
            let highest = HighestValue(of: Self.engineSpeed, in: Self.positives(answers))
            self.engineSpeed = highest.hasInvalid ? nil : highest.number
            switch self.engineSpeed {
            case nil where !self.ignoresEngine:
                return .refused(.engineSpeedUnknown, "No ECU reports the engine speed. Try: switch the ignition on.")
            case .some(let speed) where speed > 0 && !self.ignoresEngine:
                let next = "Try: switch the engine off, and leave the ignition on."
                return .refused(.engineRunning, "The engine runs at \(Int(speed)) rpm. \(next)")
            default: return self.next()
            }
        case .vehicleSpeed:
            let highest = HighestValue(of: Self.vehicleSpeed, in: Self.positives(answers))
            self.add(highest.hasInvalid ? .invalid : highest.number.map(Speed.known) ?? .unknown)
            return self.next()
        default: return self.next()
        }
    }

    /// Processes the values of a custom parameter, and returns the next step.
    mutating func read(_ values: ParameterValues) -> Step {
        switch self.checks.popFirst() {
        case .ready(let key):
            let truths = values.byECU.values.map { $0.field.truth(of: $0.value) }
            if truths.contains(true) {
                return .refused(.driveEnabled, "The drive is enabled, says \(key.name). Try: switch the vehicle off.")
            }
            guard self.ignoresEngine || !truths.isEmpty && !truths.contains(nil) && !values.isDamaged else {
                return .refused(.driveUnknown, "\(key.name) cannot be read, so the drive may be enabled.")
            }
            return self.next()
        case .customSpeed:
            for value in values.byECU.values {
                if case .number(let speed) = value.value { self.add(.known(abs(speed))) } else { self.add(.invalid) }
            }
            if values.isDamaged { self.add(.invalid) }
            return self.next()
        default: return self.next()
        }
    }

    /// Continues after the pause.
    mutating func paused() -> Step {
        self.checks.removeFirst()
        return self.next()
    }

    private mutating func add(_ speed: Speed) {
        switch (self.speed, speed) {
        case (.invalid, _), (_, .unknown): break
        case (_, .invalid), (.unknown, _): self.speed = speed
        case (.known(let before), .known(let now)): self.speed = .known(max(before, now))
        }
    }

    private mutating func next() -> Step {
        guard case .judgement = self.checks.first else { return self.step }
        self.checks.removeFirst()
        let speed = self.speed
        self.speed = .unknown
        switch speed {
        case .known(0): return self.next()
        case .known(let speed):
            // The formula of a custom parameter may give any number.
            let shown = Int(exactly: speed.rounded()).map { "\($0)" } ?? "\(speed)"
            return .refused(.vehicleMoving, "The vehicle moves at \(shown) km/h.")
        // An engineer may override what cannot be known of a vehicle without an engine.
        case .unknown where self.ignoresEngine && !self.hasEngineSpeed: return self.next()
        case .unknown, .invalid: return .refused(.vehicleSpeedUnknown, "No ECU reports the vehicle speed.")
        }
    }

    /// Returns the positive answers of the ECUs.
    private static func positives(_ answers: [String: ECUReply]) -> [[[UInt8]]] {
        answers.values.compactMap { answer in
            if case .positive(let messages) = answer { messages } else { nil }
        }
    }
}
