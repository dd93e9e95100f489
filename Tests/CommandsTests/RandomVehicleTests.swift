// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import TestSupport
import Testing

@testable import Commands

/// Clears of random vehicles of every powertrain, whose answers get lost, damaged or refused.
@Suite("A clear of a random vehicle")
struct RandomVehicleTests {
    private static let speed = ParameterKey.custom("speed")
    private static let ready = ParameterKey.custom("ready")

    /// The state of a vehicle.
    private struct State: Equatable {
        /// The engine speed in 1/min; 0 without an engine.
        var engine = 0.0
        /// The speed in km/h.
        var speed = 0.0
        var ready = false
    }

    /// A vehicle, as its ECUs report it.
    private struct Vehicle {
        let hasEngine: Bool
        let hasTractionBattery: Bool
        let hasStandardSpeed: Bool
        let hasCustomSpeed: Bool
        let hasReady: Bool
        /// The probability that an answer is lost, refused or not valid.
        let badness: Double

        var facts: DriveFacts {
            DriveFacts(
                hasEngineSpeed: self.hasEngine,
                isElectric: !self.hasEngine || self.hasTractionBattery || self.hasReady,
                speeds: self.hasCustomSpeed ? [RandomVehicleTests.speed] : [],
                ready: self.hasReady ? [RandomVehicleTests.ready] : []
            )
        }

        /// Returns a vehicle of any powertrain, with any of the values that such a vehicle may have.
        static func random(_ numbers: inout SeededNumbers) -> Vehicle {
            let hasEngine = Int.random(in: 0..<3, using: &numbers) > 0
            let isPlain = hasEngine && Bool.random(using: &numbers)
            return Vehicle(
                hasEngine: hasEngine,
                hasTractionBattery: !isPlain,
                hasStandardSpeed: hasEngine || Bool.random(using: &numbers),
                hasCustomSpeed: !isPlain && Bool.random(using: &numbers),
                hasReady: !isPlain && Bool.random(using: &numbers),
                badness: [0, 0, 0.05, 0.3].randomElement(using: &numbers) ?? 0
            )
        }

        /// Returns a state that the powertrain can have.
        func state(_ numbers: inout SeededNumbers) -> State {
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0, 1: return State()
            // The vehicle stands, and is ready to drive off.
            case 2:
                let engineRuns = self.hasEngine && (!self.hasTractionBattery || Bool.random(using: &numbers))
                return State(engine: engineRuns ? 800 : 0, ready: true)
            default:
                let engineRuns = self.hasEngine && (!self.hasTractionBattery || Bool.random(using: &numbers))
                let speed = Double(Int.random(in: 1...200, using: &numbers))
                return State(engine: engineRuns ? 2000 : 0, speed: speed, ready: true)
            }
        }

        func answers(to request: Request, _ state: State, _ numbers: inout SeededNumbers) -> [String: ECUReply] {
            let data: [UInt8]
            switch request {
            case .clearCodes: return ["7E8": .positive([[0x44]])]
            case .currentData(0x0C) where self.hasEngine:
                let steps = Int(state.engine * 4)
                data = [0x41, 0x0C, UInt8(steps >> 8), UInt8(steps & 0xFF)]
            case .currentData(0x0D) where self.hasStandardSpeed: data = [0x41, 0x0D, UInt8(state.speed)]
            default: return [:]
            }
            guard Double.random(in: 0..<1, using: &numbers) < self.badness else { return ["7E8": .positive([data])] }
            let bad: [[String: ECUReply]] = [
                [:], ["7E8": .negative(0x22)], ["7E8": .positive([Array(data.dropLast())])],
                ["7E8": .positive([data.prefix(2) + [0xFF, 0xFF, 0xFF]])],
            ]
            return bad.randomElement(using: &numbers) ?? [:]
        }

        func values(
            of key: ParameterKey,
            _ state: State,
            _ numbers: inout SeededNumbers
        ) throws -> ParameterValues {
            if Double.random(in: 0..<1, using: &numbers) < self.badness {
                return ParameterValues(isDamaged: Bool.random(using: &numbers))
            }
            let isSpeed = key == RandomVehicleTests.speed
            let field = Field(
                custom: key.name,
                try Formula("A"),
                symbol: isSpeed ? "km/h" : nil,
                role: isSpeed ? .vehicleSpeed : .ready
            )
            // An electric motor turns backwards in reverse.
            let speed = Bool.random(using: &numbers) ? state.speed : -state.speed
            return ParameterValues([
                "7EC": FieldValue(field: field, value: .number(isSpeed ? speed : state.ready ? 1 : 0))
            ])
        }
    }

    /// Runs a clear; the vehicle may change its state once, at any time before the last reading of its codes ends.
    ///
    /// - Returns: the state in which the vehicle was cleared; nil if it was not.
    private static func clear(
        _ vehicle: Vehicle,
        overridesEngine: Bool,
        _ numbers: inout SeededNumbers
    ) throws -> (cleared: State?, last: State, isSteady: Bool) {
        var machine = ClearCodes(
            .all,
            ecus: ["7E8"],
            facts: vehicle.facts,
            overridesEngine: overridesEngine,
            acceptsIncomplete: true
        )
        let first = vehicle.state(&numbers)
        let last = Bool.random(using: &numbers) ? vehicle.state(&numbers) : first
        var state = first
        var readings = 0
        var cleared: State?
        var step = machine.begin()
        while true {
            switch step {
            case .readCodes:
                readings += 1
                if readings > 1 { state = last }
                step = machine.read(ClearCodesTests.codes())
            case .readMonitors: step = machine.read(nil as MonitorsReport?)
            case .keep: step = machine.kept(nil)
            case .ask(let request):
                if request == .clearCodes { cleared = state }
                step = machine.answered(vehicle.answers(to: request, state, &numbers))
            case .read(let key): step = machine.read(try vehicle.values(of: key, state, &numbers))
            case .pause: step = machine.paused()
            case .authorize: step = machine.authorized(nil)
            case .finished: return (cleared, last, first == last)
            }
        }
    }

    @Test("Two thousand vehicles get service 04 only while they stand and are not ready to drive")
    func standing() throws {
        var (cleared, refused) = (0, 0)
        for seed in 0..<2000 as Range<UInt64> {
            var numbers = SeededNumbers(seed)
            let vehicle = Vehicle.random(&numbers)
            let overrides = Int.random(in: 0..<4, using: &numbers) == 0
            let (state, last, isSteady) = try Self.clear(vehicle, overridesEngine: overrides, &numbers)
            if let state {
                cleared += 1
                #expect(state.engine == 0 || overrides, "seed \(seed): \(vehicle), \(state)")
                #expect(
                    !(vehicle.hasReady && state.ready && vehicle.badness == 0),
                    "seed \(seed): \(vehicle), \(state)"
                )
                let knowsSpeed = vehicle.hasStandardSpeed || vehicle.hasCustomSpeed
                // An engineer may override what cannot be known of a vehicle without an engine.
                let mayMove = overrides && !vehicle.hasEngine && (!knowsSpeed || vehicle.badness > 0)
                #expect(state.speed == 0 || mayMove, "seed \(seed): \(vehicle), \(state)")
                if !overrides { #expect(!(vehicle.hasReady && state.ready), "seed \(seed): \(vehicle), \(state)") }
            } else {
                refused += 1
                // The guard does not refuse for no reason.
                let knowsSpeed = vehicle.hasStandardSpeed || vehicle.hasCustomSpeed
                let isClear = last == State() && isSteady && vehicle.badness == 0 && knowsSpeed
                #expect(!isClear, "seed \(seed): \(vehicle) was refused")
            }
        }
        #expect(cleared > 200 && refused > 200, "\(cleared) cleared, \(refused) refused")
    }
}
