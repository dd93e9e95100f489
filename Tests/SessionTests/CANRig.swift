// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import Logging
import OBD2
import Parking
import Session
import Simulator
import SocketCAN
import Synchronization
import Testing

/// A session over a CAN interface, with a simulated vehicle on a manual clock.
struct CANRig: Sendable {
    let clock: ManualClock
    let vehicle: SharedVehicle
    let log: EventLog
    let bus = SimulatedPort.Bus()
    let session: Session
    private let ticks: AsyncStream<Void>

    static let start = MonotonicTime(sinceBoot: .seconds(100))

    init(
        _ options: SimulatedVehicle.Options = SimulatedVehicle.Options(),
        conditions: SimulatedPort.Conditions = SimulatedPort.Conditions(),
        protocol busProtocol: BusProtocol? = nil,
        intervals: [ParameterKey: Duration] = [0x0C: .milliseconds(100), 0x0D: .milliseconds(100), 0x05: .seconds(10)],
        custom: [CustomParameter] = [],
        parking: ParkingPolicy = ParkingPolicy(),
        failure: CANError? = nil
    ) {
        let clock = ManualClock(now: Self.start)
        let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: Self.start))
        let log = EventLog(vehicle, custom, isTimed: true)
        let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let bus = self.bus
        bus.conditions.withLock { $0 = conditions }
        (self.clock, self.vehicle, self.log, self.ticks) = (clock, vehicle, log, ticks)
        self.session = Session(
            over: .can("can0") { () throws(CANError) in
                tick.yield()
                if let failure { throw failure }
                return SimulatedPort(
                    bus,
                    vehicle,
                    clock,
                    watcher: { payload in
                        let digits = payload.map { String(UInt16($0) + 0x100, radix: 16, uppercase: true).dropFirst() }
                        log.wrote(digits.joined(), at: clock.now)
                        tick.yield()
                    },
                    // As an adapter is told to listen for a group.
                    listener: { log.wrote("ATMP\(PGN(rawValue: $0).description.dropFirst(2))1", at: clock.now) }
                )
            },
            vehicle: VehicleSettings(bus: busProtocol, custom: custom, searched: Set(intervals.keys)),
            selection: Selection(intervals: intervals),
            parking: ParkingSettings(parking),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { event in
            log.take(event)
            tick.yield()
        }
    }

    var sent: [SimulatedPort.Sent] { self.bus.sent.withLock { $0 } }

    /// Runs the session for some time of its clock.
    func run(for duration: Duration, _ change: @escaping @Sendable () async -> Void = {}) async {
        let end = self.clock.now + duration
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.session.run() }
            group.addTask { await change() }
            for await _ in self.ticks where self.clock.now >= end { break }
            group.cancelAll()
        }
    }

    /// The last reason for which there was no vehicle.
    var failure: String? {
        self.log.contents.states.lazy.compactMap { state -> String? in
            if case .waiting(let error, _) = state { error.description } else { nil }
        }.last
    }
}
