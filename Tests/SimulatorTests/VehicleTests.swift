// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import Simulator

@Suite("The simulated vehicle")
struct VehicleTests {
    private static func vehicle(
        seed: UInt64 = 1,
        trip: Duration = .seconds(600),
        _ change: (inout SimulatedVehicle.Options) -> Void = { _ in }
    ) -> SimulatedVehicle {
        var options = SimulatedVehicle.Options()
        options.seed = seed
        options.trip = trip
        change(&options)
        return SimulatedVehicle(options)
    }

    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    @Test("Each seed has a VIN of its own, of the same make and year, whose check digit matches")
    func vins() throws {
        let usual = SimulatedVehicle.Options().vin
        #expect(SimulatedVehicle.Options.vin(ofSeed: 1) == usual)
        let seeds: [UInt64] = [0, 2, 3, 42, 99_108, 299_107, 299_108, 500_000]
        let vins = seeds.map(SimulatedVehicle.Options.vin)
        #expect(Set(vins + [usual]).count == seeds.count + 1)
        for vin in vins + [SimulatedVehicle.Options.vin(ofSeed: .max)] {
            let read = try #require(VIN(vin))
            #expect(read.withCheckDigit == read && vin.prefix(8) == usual.prefix(8), "\(vin)")
            #expect(Array(vin)[9...10] == Array(usual)[9...10], "\(vin)")
        }
    }

    @Test("The state depends on seed and time only, not on earlier requests")
    func deterministic() {
        let first = Self.vehicle()
        let second = Self.vehicle()
        let other = Self.vehicle(seed: 2)
        let times = stride(from: 0.0, to: 7200, by: 37.3).map(Self.time)
        let forward = times.map { first.state(at: $0) }
        let backward = Array(times.reversed().map { second.state(at: $0) }.reversed())
        #expect(forward == backward)
        #expect(forward != times.map { other.state(at: $0) })
    }

    @Test("The values of a state are consistent with each other", arguments: [8.0, 60, 600, 3600])
    func consistent(trip: Double) {
        let vehicle = Self.vehicle(trip: .seconds(trip)) { $0.pause = .seconds(trip / 8) }
        var previous = vehicle.state(at: .zero)
        var topSpeed = 0.0
        var gears: Set<Int> = []
        let step = 0.05
        for second in stride(from: step, to: trip * 3, by: step) {
            let state = vehicle.state(at: Self.time(second))
            topSpeed = max(topSpeed, state.vehicleSpeed)
            gears.insert(state.gear)
            let change = (state.vehicleSpeed - previous.vehicleSpeed) / 3.6 / step
            #expect(abs(change) < 4.6, "\(change) m/s² at \(second) s")
            #expect(state.odometer >= previous.odometer)
            let driven = (state.odometer - previous.odometer) / step * 3600
            #expect(abs(driven - (state.vehicleSpeed + previous.vehicleSpeed) / 2) < 0.5, "at \(second) s")
            if state.engineRuns {
                if state.vehicleSpeed == 0 {
                    #expect((780...1150).contains(state.engineSpeed) && state.gear == 0)
                } else {
                    let geared = state.vehicleSpeed * Powertrain.speedRatios[state.gear - 1]
                    #expect(state.engineSpeed >= geared - 0.001 && state.engineSpeed < 4000)
                    #expect(geared < 1150 || abs(state.engineSpeed - geared) < 1)
                }
                #expect((13.9...14.4).contains(state.voltage))
                #expect((2...98).contains(state.engineLoad) && state.airFlow > 0.5)
            } else {
                #expect(state.engineSpeed < 250 && state.vehicleSpeed == 0 && state.runTime == 0)
                #expect(state.voltage < 12.7)
            }
            #expect((-40...110).contains(state.coolant) && (0...100).contains(state.fuelLevel))
            previous = state
        }
        #expect(topSpeed > (trip < 60 ? 15 : 50) && topSpeed < 130)
        #expect(gears.count > (trip < 60 ? 2 : 4))
    }

    @Test("The engine warms up in a trip, and cools down in the pause")
    func warmUp() {
        let vehicle = Self.vehicle { $0.ambientTemperature = -5 }
        #expect(abs(vehicle.state(at: .zero).coolant + 5) < 0.01)
        let warm = vehicle.state(at: Self.time(599)).coolant
        #expect((80...92).contains(warm))
        let paused = vehicle.state(at: Self.time(659)).coolant
        #expect(paused < warm && paused > warm - 5)
        #expect(abs(vehicle.state(at: Self.time(660)).coolant - paused) < 1)
    }

    @Test("After the pause the vehicle is parked: the ignition is off, and no ECU answers")
    func parking() {
        var vehicle = Self.vehicle(trip: .seconds(8)) {
            $0.pause = .seconds(8)
            $0.parking = .seconds(100)
        }
        #expect(vehicle.state(at: Self.time(12)).ignition)
        #expect(!vehicle.state(at: Self.time(20)).ignition)
        #expect(vehicle.state(at: Self.time(116)).ignition)
        let parked = vehicle.replies(to: [0x01, 0x00], target: .functional, at: Self.time(20))
        #expect(parked.isEmpty)
        let standing = vehicle.replies(to: [0x01, 0x00], target: .functional, at: Self.time(12))
        #expect(standing.count == 2)
    }

    @Test("Any moment of a thousand hours is computed in microseconds")
    func thousandHours() {
        let vehicle = Self.vehicle(trip: .seconds(8)) { $0.pause = .seconds(8) }
        var generator = SeededGenerator(state: 3)
        let clock = ContinuousClock()
        var moving = 0
        let duration = clock.measure {
            for _ in 0..<100_000 {
                let second = Double.random(in: 0..<3_600_000, using: &generator)
                if vehicle.state(at: Self.time(second)).vehicleSpeed > 0 { moving += 1 }
            }
        }
        #expect(moving > 20_000 && moving < 80_000)
        // Each takes microseconds. Stepping through the hours would take minutes.
        #expect(duration < .seconds(10))
    }

    @Test("Exactly the announced parameters are answered, and each decodes")
    func announced() throws {
        let vehicle = Self.vehicle { $0.ecus = 3 }
        for ecu in vehicle.ecus {
            var supported = SupportedPIDs()
            while let base = supported.nextBitmap {
                let reply = try #require(Self.data(of: base, ecu, vehicle))
                try supported.merge(base: base, bitmap: reply)
            }
            #expect(supported.pids.filter { !$0.isBitmap }.count >= (ecu == .engine ? 40 : 2))
            for pid in (UInt8.min...UInt8.max).map(PID.init(rawValue:)) {
                guard supported.contains(pid) else {
                    #expect(Self.data(of: pid, ecu, vehicle) == nil)
                    continue
                }
                let data = try #require(Self.data(of: pid, ecu, vehicle), "\(ecu) \(pid)")
                let parameter = try #require(Parameter.withPID(pid))
                #expect(try !parameter.decode(data).isEmpty)
                #expect(!parameter.isSentinel(data))
            }
        }
    }

    private static func data(
        of pid: PID,
        _ ecu: ECU,
        _ vehicle: SimulatedVehicle,
        at seconds: Double = 200
    ) -> [UInt8]? {
        var vehicle = vehicle
        let replies = vehicle.replies(to: [0x01, pid.rawValue], target: .physical(ecu), at: Self.time(seconds))
        guard let message = replies.first?.message, message.first == 0x41 else { return nil }
        return Array(message.dropFirst(2))
    }

    private static func number(
        _ pid: PID,
        _ vehicle: SimulatedVehicle,
        at seconds: Double,
        key: String = "value"
    ) throws -> Double {
        let data = try #require(Self.data(of: pid, .engine, vehicle, at: seconds))
        let values = try #require(Parameter.withPID(pid)).decode(data)
        let value = try #require(values.first { $0.field.key == key }?.value)
        guard case .number(let number) = value else { throw DecodingError.empty }
        return number
    }

    @Test("The parameters that are read have the values of the vehicle's state")
    func readings() throws {
        let vehicle = Self.vehicle()
        for second in stride(from: 5.0, to: 600, by: 29) {
            let state = vehicle.state(at: Self.time(second + 0.01))
            let engineSpeed = try Self.number(0x0C, vehicle, at: second)
            #expect(abs(engineSpeed - state.engineSpeed) <= 0.25)
            #expect(abs(try Self.number(0x0D, vehicle, at: second) - state.vehicleSpeed) <= 1)
            #expect(abs(try Self.number(0x05, vehicle, at: second) - state.coolant) <= 1)
            #expect(abs(try Self.number(0x67, vehicle, at: second, key: "s1") - state.coolant) <= 1)
            #expect(abs(try Self.number(0x42, vehicle, at: second) - state.voltage) <= 0.001)
            #expect(abs(try Self.number(0x14, vehicle, at: second, key: "voltage") - state.frontOxygen) <= 0.005)
            #expect(abs(try Self.number(0xA6, vehicle, at: second) - state.odometer) <= 0.1)
        }
    }

    @Test("A clear is refused while the engine runs, and performed while it is off")
    func clear() throws {
        var vehicle = Self.vehicle {
            $0.codes = [DTC("P0301"), DTC("P0741")].compactMap { $0 }
            $0.pendingCodes = [DTC("P0171")].compactMap { $0 }
            $0.permanentCodes = [DTC("P0301")].compactMap { $0 }
        }
        func ask(_ request: [UInt8], at seconds: Double) -> [[UInt8]] {
            vehicle.replies(to: request, target: .functional, at: Self.time(seconds)).map(\.message)
        }
        #expect(ask([0x01, 0x01], at: 300).first?[2] == 0x81)
        #expect(ask([0x02, 0x02, 0x00], at: 300) == [[0x42, 2, 0, 0x03, 0x01], [0x42, 2, 0, 0x07, 0x41]])
        #expect(ask([0x02, 0x0D, 0x00], at: 300).first?.last.map { $0 > 0 } == true)
        #expect(ask([0x04], at: 300) == [[0x7F, 0x04, 0x22], [0x7F, 0x04, 0x22]])
        #expect(ask([0x03], at: 301) == [[0x43, 1, 0x03, 0x01], [0x43, 1, 0x07, 0x41]])
        #expect(try Self.number(0x21, vehicle, at: 630) > 27)
        #expect(ask([0x04], at: 630) == [[0x44], [0x44]])
        #expect(ask([0x03], at: 631) == [[0x43, 0], [0x43, 0]])
        #expect(ask([0x07], at: 631) == [[0x47, 0], [0x47, 0]])
        #expect(ask([0x0A], at: 631) == [[0x4A, 1, 0x03, 0x01], [0x4A, 0]])
        #expect(ask([0x02, 0x02, 0x00], at: 631) == [[0x42, 2, 0, 0, 0], [0x42, 2, 0, 0, 0]])
        #expect(ask([0x02, 0x0D, 0x00], at: 631).isEmpty)
        #expect(ask([0x01, 0x01], at: 631) == [[0x41, 0x01, 0x00, 0x77, 0xE5, 0xE5], [0x41, 0x01, 0, 0, 0, 0]])
        for pid in [0x21, 0x30, 0x31, 0x4D, 0x4E] as [PID] {
            #expect(try Self.number(pid, vehicle, at: 631) == 0, "\(pid)")
        }
        // In the next trip the counters increase, and the monitors finish one by one.
        #expect(try Self.number(0x31, vehicle, at: 1200) >= 1)
        #expect(ask([0x01, 0x01], at: 1200).first?.suffix(3) == [0x07, 0xE5, 0x05])
    }

    @Test("With an option, codes can be cleared while the engine runs")
    func clearWhileRunning() {
        var vehicle = Self.vehicle { $0.refusesToClearWhileRunning = false }
        let cleared = vehicle.clearCodes(of: vehicle.ecus, at: Self.time(300))
        #expect(cleared == [.engine, .transmission])
    }

    @Test("An ECU that refuses service 04, or does not get the request, keeps its codes")
    func keepsCodes() throws {
        let codes = try ["P0301", "P0741"].map { try #require(DTC($0)) }
        var vehicle = Self.vehicle { options in
            (options.codes, options.ecusRefusingClear) = (codes, [.transmission])
            (options.trip, options.pause) = (.seconds(1), .seconds(3600))
        }
        let time = Self.time(300)
        let replies = vehicle.replies(to: [0x04], target: .functional, at: time).map(\.message)
        #expect(replies == [[0x44], [0x7F, 0x04, 0x22]])
        let stored = vehicle.replies(to: [0x03], target: .functional, at: time).map(\.message)
        #expect(stored == [[0x43, 0], [0x43, 1, 0x07, 0x41]])
        var other = Self.vehicle { options in
            options.codes = codes
            (options.trip, options.pause) = (.seconds(1), .seconds(3600))
        }
        _ = other.replies(to: [0x04], target: .physical(.transmission), at: time)
        let rest = other.replies(to: [0x03], target: .functional, at: time).map(\.message)
        #expect(rest == [[0x43, 1, 0x03, 0x01], [0x43, 0]])
    }

    @Test("A malfunction switches the MIL on and stores a freeze frame")
    func confirm() throws {
        var vehicle = Self.vehicle()
        vehicle.confirm(try #require(DTC("P0420")), at: Self.time(100))
        let replies = vehicle.replies(to: [0x03], target: .functional, at: Self.time(101)).map(\.message)
        #expect(replies == [[0x43, 1, 0x04, 0x20], [0x43, 0]])
        let status = vehicle.replies(to: [0x01, 0x01], target: .functional, at: Self.time(101)).first?.message
        #expect(status?[2] == 0x81)
        let frame = vehicle.replies(to: [0x02, 0x0D, 0x00], target: .functional, at: Self.time(500)).first?.message
        #expect(frame?.last == UInt8(vehicle.state(at: Self.time(100)).vehicleSpeed.rounded()))
    }

    @Test("Random requests never crash the vehicle")
    func randomRequests() {
        var generator = SeededGenerator(state: 11)
        var vehicle = Self.vehicle { $0.codes = [DTC("P0301")].compactMap { $0 } }
        var answers = 0
        for index in 0..<20_000 {
            let request = (0..<Int.random(in: 0..<9, using: &generator)).map { position in
                UInt8.random(in: 0...(position == 0 ? 12 : 255), using: &generator)
            }
            answers += vehicle.replies(to: request, target: .functional, at: Self.time(Double(index))).count
        }
        #expect(answers > 0)
    }
}
