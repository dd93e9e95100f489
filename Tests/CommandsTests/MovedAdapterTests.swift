// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import ELM327
import OBD2
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Commands

@Suite("An adapter that moves into another vehicle while a command waits or runs")
struct MovedAdapterTests {
    /// An adapter that moves into another vehicle once.
    ///
    /// A write at the time of the move is lost, because no vehicle is connected then. With `losesReading`, so is a
    /// reading.
    private final class Adapter: Sendable {
        private let state: Mutex<(steps: Int, name: String, writes: [String])>

        private let losesReading: Bool

        init(movesAt step: Int?, losesReading: Bool = true) {
            self.state = Mutex((step ?? 0, "van", []))
            self.losesReading = losesReading
        }

        /// The vehicle that each request that wrote has reached.
        var writes: [String] { self.state.withLock { $0.writes } }
        var name: String { self.state.withLock { $0.name } }

        /// Counts a request; returns whether a vehicle receives it.
        func receives(writing: Bool = false) -> Bool {
            self.state.withLock { state in
                state.steps -= 1
                guard state.steps != 0 else {
                    state.name = "other"
                    return !writing && !self.losesReading
                }
                if writing { state.writes.append(state.name) }
                return true
            }
        }
    }

    private static let commands = [
        ("clear_codes", #"{"confirm": "all"}"#),
        ("clear_codes", #"{"confirm": "all", "wake": true}"#),
        ("run_test", #"{"test": "01"}"#),
        ("raw_request", #"{"requests": ["010C", "2EF19001", "2EF19002"]}"#),
        ("raw_request", #"{"requests": ["04"]}"#),
    ]

    /// A standing vehicle, which answers as the vehicle that is at the adapter at that time.
    private static func vehicle(_ adapter: Adapter) -> FakeVehicle {
        FakeVehicle(
            proof: {
                guard adapter.receives() else { return .unreadable }
                return adapter.name == "van" ? .same : .other
            },
            codes: { () throws(VehicleError) in ClearCodesTests.codes(known: adapter.receives()) },
            sent: { request in
                let isHeard = adapter.receives(writing: request.effect != .reads)
                return isHeard ? ["7E8": .positive([[request.payload[0] | 0x40] + request.payload.dropFirst()])] : [:]
            },
            reply: { request in
                let writes = request.service == .clearCodes || request.service == .control
                guard adapter.receives(writing: writes) else { return [:] }
                switch request {
                case .currentData(0x0C): return ["7E8": .positive([[0x41, 0x0C, 0, 0]])]
                case .currentData(0x0D): return ["7E8": .positive([[0x41, 0x0D, 0]])]
                default: return ["7E8": .positive([[request.service.rawValue | 0x40]])]
                }
            }
        )
    }

    @Test("No request that writes reaches a vehicle that the command is not for, whenever the adapter moves")
    func moved() async throws {
        var (before, refused) = (0, 0)
        for (name, arguments) in Self.commands {
            for move in 0..<30 {
                let (step, losesReading) = (move / 2, move.isMultiple(of: 2))
                let adapter = Adapter(movesAt: step, losesReading: losesReading)
                let bench = Bench(Self.vehicle(adapter))
                let executor = bench.executor()
                await executor.adopt(
                    CommandGuard(allowed: Set(CommandName.allCases.map(\.rawValue)), unsignedRole: .engineer),
                    CommandRules(allowsRawWriting: true)
                )
                await executor.receive(try bench.message(name, arguments))
                let writes = adapter.writes
                #expect(writes.allSatisfy { $0 == "van" }, "\(name), moved at request \(step): \(writes)")
                before += writes.count
                if bench.last?.reason == .wrongVehicle || bench.last?.reason == .vehicleUnknown { refused += 1 }
            }
        }
        // Some commands wrote before the move, and others were refused because of it.
        #expect(before > 20 && refused > 10, "\(before) \(refused)")
    }

    @Test("Nothing is written to a woken vehicle that is not the one of the command")
    func wokenAsAnother() async throws {
        let bench = Bench(FakeVehicle())
        bench.vehicle.name.withLock { $0 = "other" }
        await bench.executor().receive(try bench.message("clear_codes", #"{"confirm": "all", "wake": true}"#))
        #expect(bench.last?.state == .refused && bench.last?.reason == .wrongVehicle)
        #expect(bench.vehicle.asked.map(\.request) == ["wake 300.0"])
        await bench.executor().receive(try bench.message("read_codes", id: "2"))
        #expect(bench.last?.state == .refused && bench.last?.reason == .wrongVehicle)
        #expect(bench.vehicle.asked.count == 1)
    }

    @Test("A command that expires while the vehicle is being woken or read does not write")
    func expired() async throws {
        for step in 0...10 {
            let adapter = Adapter(movesAt: nil)
            let bench = Mutex<Bench?>(nil)
            let count = Mutex(0)
            let vehicle = FakeVehicle(
                codes: { () throws(VehicleError) in ClearCodesTests.codes() },
                reply: { request in
                    let isTurn = count.withLock { count in
                        count += 1
                        return count == step
                    }
                    if isTurn { bench.withLock { $0?.clock.clock.advance(by: .seconds(61)) } }
                    if request.service == .clearCodes { _ = adapter.receives(writing: true) }
                    let pid = request.data.first ?? 0
                    return ["7E8": .positive([[0x41, pid, 0] + (pid == 0x0C ? [0] : [])])]
                }
            )
            let present = Bench(vehicle)
            bench.withLock { $0 = present }
            await present.executor().receive(try present.message("clear_codes", #"{"confirm": "all"}"#))
            // Engine speed and vehicle speed are read twice before the clear.
            let isLate = (1...4).contains(step)
            #expect(adapter.writes.isEmpty == isLate, "\(step) \(String(describing: present.last))")
            if isLate { #expect(present.last?.reason == .expired) }
        }
    }

    @Test("A clear that wakes the vehicle needs wake in [commands] allow")
    func wakeNotAllowed() async throws {
        let bench = Bench()
        let executor = bench.executor(allowed: ["clear_codes"])
        await executor.receive(try bench.message("clear_codes", #"{"confirm": "all", "wake": true}"#))
        #expect(bench.last?.state == .refused && bench.last?.reason == .notAllowed)
        #expect(bench.vehicle.asked.isEmpty)
        await executor.receive(try bench.message("clear_codes", #"{"confirm": "all"}"#, id: "2"))
        #expect(bench.last?.reason != .notAllowed)
    }

    @Test("A command that writes, or names a vehicle, is refused if none is identified within a minute")
    func unidentified() async throws {
        let bench = Bench()
        let executor = bench.executor()
        bench.isComing.withLock { $0 = true }
        await executor.receive(try bench.message("clear_codes", #"{"confirm": "all"}"#))
        #expect(bench.last?.state == .refused && bench.last?.reason == .vehicleUnknown)
        #expect(bench.vehicle.asked.isEmpty)
    }
}
