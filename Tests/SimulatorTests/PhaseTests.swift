// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Simulator

@Suite("The phases of a vehicle")
struct PhaseTests {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    private static func vehicle(
        _ model: VehicleModel,
        _ phases: [VehiclePhase]? = nil,
        seed: UInt64 = 1,
        use: Double? = nil
    ) -> SimulatedVehicle {
        var options = SimulatedVehicle.Options(model)
        (options.phases, options.seed, options.chargeUse) = (phases, seed, use)
        return SimulatedVehicle(options)
    }

    @Test("Each phase has its voltage, and readings differ from it by less than 0.05 V")
    func voltages() {
        let vehicle = Self.vehicle(.electric, Bench.round)
        for (index, phase) in Bench.round.enumerated() {
            for second in stride(from: 0.25, to: 1000, by: 7.3) {
                let state = vehicle.state(at: Self.time(Double(index) * 1000 + second))
                #expect(abs(state.voltage - phase.kind.voltage) < 0.05, "\(phase.kind) \(state.voltage)")
                #expect(state.ready == phase.kind.isReady && state.pluggedIn == phase.kind.isPluggedIn)
                #expect(state.charging == (phase.kind == .charging) && state.isAwake == phase.kind.isAwake)
                #expect(state.vehicleSpeed == 0 || phase.kind == .drive)
                #expect(!state.engineRuns && state.engineSpeed == 0)
            }
        }
        let other = Self.vehicle(.electric, [VehiclePhase(.asleep, .seconds(100), voltage: 11.9)])
        #expect(abs(other.state(at: Self.time(50)).voltage - 11.9) < 0.05)
    }

    @Test("The state depends on seed and time only", arguments: VehicleModel.all)
    func deterministic(model: VehicleModel) {
        let times = stride(from: 0.0, to: 20_000, by: 61.7).map(Self.time)
        let forward = times.map { Self.vehicle(model).state(at: $0) }
        let vehicle = Self.vehicle(model)
        #expect(forward == times.reversed().map { vehicle.state(at: $0) }.reversed())
        let other = Self.vehicle(model, seed: 2)
        #expect(forward != times.map { other.state(at: $0) })
    }

    @Test("The charge falls in the drives, rises in the charge by as much, and never jumps")
    func charge() throws {
        let phases: [VehiclePhase] = [
            .init(.drive, .seconds(1200)), .init(.awake, .seconds(300)), .init(.asleep, .seconds(600)),
            .init(.drive, .seconds(900)), .init(.pluggedIn, .seconds(60)), .init(.charging, .seconds(3600)),
            .init(.pluggedAsleep, .seconds(600)),
        ]
        for (model, use) in [(VehicleModel.electric, nil), (.electricLeaf, 40.0), (.plugIn, 30)] {
            let vehicle = Self.vehicle(model, phases, use: use)
            var previous = vehicle.state(at: .zero)
            var energy = 0.0
            var lowest = 100.0
            for second in stride(from: 1.0, through: 7260, by: 1) {
                let state = vehicle.state(at: Self.time(second))
                let change = state.stateOfCharge - previous.stateOfCharge
                #expect(abs(change) < 0.2, "at \(second) s")
                if second < 3000 { #expect(change <= 0.0001) } else { #expect(change >= -0.0001) }
                #expect(abs(state.odometer - previous.odometer) < 0.05)
                energy += state.chargerPower / 3600
                lowest = min(lowest, state.stateOfCharge)
                previous = state
            }
            let full = previous.stateOfCharge
            #expect(abs(full - vehicle.state(at: .zero).stateOfCharge) < 0.01)
            #expect(use.map { abs(full - lowest - $0) < 0.1 } ?? (full - lowest > 3))
            // Within its power, the charger gives what the drives took.
            let battery = try #require(model.battery)
            let taken = (full - lowest) / 100 * battery.capacity
            #expect(energy < battery.charger + 0.1 && (abs(energy - taken) < 0.1 || taken > battery.charger))
        }
    }

    @Test("A round may begin with a charge")
    func chargeFirst() {
        let phases: [VehiclePhase] = [.init(.charging, .seconds(100)), .init(.drive, .seconds(100))]
        let vehicle = Self.vehicle(.electric, phases, use: 20)
        let charges = [0.0, 50, 100, 150, 199.9].map { vehicle.state(at: Self.time($0)).stateOfCharge }
        #expect(charges[0] < charges[1] && charges[1] < charges[2] && charges[2] > charges[3])
        #expect(charges[2] <= 98 && abs(charges[2] - charges[0] - 20) < 0.1 && abs(charges[4] - charges[0]) < 0.5)
    }

    @Test("Requests are counted by the state of the vehicle")
    func counts() {
        var vehicle = Self.vehicle(.electric, Bench.round)
        for index in Bench.round.indices {
            for _ in 0...index { vehicle.requestSent(at: Self.time(Double(index) * 1000 + 500)) }
        }
        let counts = Dictionary(uniqueKeysWithValues: Bench.round.indices.map { (Bench.round[$0].kind, $0 + 1) })
        func sum(_ kinds: VehiclePhase.Kind...) -> Int { kinds.reduce(0) { $0 + (counts[$1] ?? 0) } }
        let requests = vehicle.requests
        #expect(requests.engineRunning == 0)
        #expect(requests.ignitionOn == sum(.drive, .standing, .ignition))
        #expect(requests.charging == sum(.charging) && requests.awake == sum(.awake, .pluggedIn))
        #expect(requests.asleep == sum(.asleep, .topUp, .pluggedAsleep))
        #expect(requests.ignitionOff == requests.charging + requests.awake + requests.asleep)
        #expect(requests.chargingTimes.allSatisfy { vehicle.state(at: $0).charging })
    }

    @Test("Without phases, a vehicle with a plug locks, sleeps with a top-up, charges, and sleeps at the plug")
    func defaultRound() {
        var options = SimulatedVehicle.Options(.electric)
        (options.trip, options.pause, options.parking) = (.seconds(100), .seconds(20), .seconds(200))
        options.charge = .seconds(100)
        let vehicle = SimulatedVehicle(options)
        let seconds = [50.0, 110, 170, 230, 300, 325, 380, 435, 450]
        let kinds: [VehiclePhase.Kind] = [
            .drive, .awake, .asleep, .topUp, .asleep, .pluggedIn, .charging, .pluggedIn, .pluggedAsleep,
        ]
        for (second, kind) in zip(seconds, kinds) {
            let state = vehicle.state(at: Self.time(second))
            #expect(state.isAwake == kind.isAwake && state.pluggedIn == kind.isPluggedIn, "\(second) s")
            #expect(abs(state.voltage - kind.voltage) < 0.05)
        }
        #expect(vehicle.state(at: Self.time(465)).ready)
    }
}

@Suite("Hybrids")
struct HybridTests {
    private static func drive(_ model: VehicleModel, pluggable use: Double? = nil) -> [VehicleState] {
        var options = SimulatedVehicle.Options(model)
        options.phases = [VehiclePhase(.drive, .seconds(1800)), VehiclePhase(.ignition, .seconds(100))]
        options.chargeUse = use
        let vehicle = SimulatedVehicle(options)
        return stride(from: 0.5, to: 1800, by: 0.5).map { vehicle.state(at: MonotonicTime(sinceBoot: .seconds($0))) }
    }

    @Test("The engine of a mild hybrid rests exactly while the vehicle stands, after its first seconds")
    func mild() {
        let states = Self.drive(.mildHybrid)
        for state in states.dropFirst(20) { #expect(state.engineRuns == (state.vehicleSpeed > 0)) }
        #expect(states.allSatisfy(\.ready) && states.contains { !$0.engineRuns && $0.voltage > 13 })
    }

    @Test("The engine of a hybrid rests at every light, and for stretches of at least 5 s at 80 km/h")
    func full() {
        let states = Self.drive(.hybrid)
        #expect(states.allSatisfy { $0.ready && ($0.engineSpeed > 0) == $0.engineRuns && $0.voltage > 14.3 })
        #expect(!states.contains { $0.vehicleSpeed == 0 && $0.engineRuns })
        var (stretch, longest, starts) = (0, 0, 0)
        for (state, next) in zip(states, states.dropFirst()) {
            stretch = !state.engineRuns && state.vehicleSpeed > 80 ? stretch + 1 : 0
            longest = max(longest, stretch)
            if !state.engineRuns, next.engineRuns { starts += 1 }
        }
        #expect(longest >= 10 && starts > 10)
        #expect(states.allSatisfy { (40...70).contains($0.stateOfCharge) })
    }

    @Test("The engine of a plug-in hybrid seldom runs until the battery is empty")
    func plugIn() {
        let charged = Self.drive(.plugIn, pluggable: 30)
        #expect(charged.count(where: \.engineRuns) < charged.count / 10)
        let empty = Self.drive(.plugIn, pluggable: 90).filter { $0.stateOfCharge < 20 && $0.vehicleSpeed > 0 }
        #expect(empty.count(where: \.engineRuns) > empty.count / 5)
    }

    @Test("While the engine rests, 0C is 0 and 0D is not; a plug-in hybrid answers as BMW does")
    func answers() throws {
        var bench = try Bench.model(.plugIn, ["ATS0"])
        let speed = bench.vehicle.state(at: bench.time).vehicleSpeed
        #expect(bench.lines("010C").first == "410C0000")
        #expect(speed > 0 && bench.lines("010D").first?.hasPrefix("410D") == true)
        let setup = ["ATSH6F1", "ATCRA607", "ATCEA07", "ATFCSH6F1", "ATFCSD07300000", "ATFCSM1", "ATCAF1", "ATH1"]
        for line in setup { _ = bench.send("\(line)\r") }
        let charge = bench.lines("22DDBC").first ?? ""
        #expect(charge.hasPrefix("607F10562DDBC"))
        #expect(abs(Double(Int(charge.suffix(4), radix: 16) ?? 0) / 10 - bench.state.stateOfCharge) <= 0.1)
        for line in ["ATCRA61A", "ATCEA1A", "ATFCSD1A300000"] { _ = bench.send("\(line)\r") }
        #expect(bench.lines("22DE00") == ["61AF1100962DE000000", "61AF12100000001"])
        let ecu = try #require(bench.vehicle.sideECUs.last)
        for (kind, flags) in [(VehiclePhase.Kind.drive, [0, 0, 1]), (.charging, [1, 1, 0]), (.pluggedIn, [1, 0, 0])] {
            let bench = try Bench.model(.plugIn, in: kind)
            let reply = bench.vehicle.reply(of: ecu, to: [0x22, 0xDE, 0x00], at: bench.time)
            #expect(reply?.suffix(3).map(Int.init) == flags)
        }
    }

    @Test("A hybrid's battery ECU answers as Ford's does")
    func ford() throws {
        var bench = try Bench.model(.hybrid, ["ATSH7E4"])
        let charge = try bench.answer("224801").number(0, 16) / 500
        #expect(abs(charge - bench.state.stateOfCharge) < 0.2)
        #expect(bench.data("015B") != nil && bench.data("010D") != nil && bench.data("010C") == nil)
    }
}
