// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Agent
import Base
import ELM327
import Logging
import OBD2
import Parking
import Session
import SignalSets
import Testing

@testable import Simulator

/// Tests of detection over a whole session; simulated vehicles answer the requests that real vehicles answered.
@Suite("Detection over a session", .enabled(if: Recordings.areThere, Recordings.hint), .timeLimit(.minutes(10)))
struct SimulatedDetectionTests {
    private static let vehicles = [
        "Chevrolet-Bolt-EV 2019", "Ford-Mustang-Mach-E 2021", "Hyundai-IONIQ-5 2022", "Kia-EV9 2024",
        "Subaru-Crosstrek 2019", "Toyota-RAV4-Prime 2021", "BMW-3-Series 2019", "Ford-Escape 2020",
    ]

    @Test("The right model is among the first three, within the bounds of requests and time")
    func detect() async throws {
        let catalog = LocalCatalog(paths: [Recordings.path("obdb/sets")])
        var makes: Set<String> = []
        for vehicle in RecordedVehicle.all(try Recordings.lines("obdb/answered.tsv.gz"))
        where Self.vehicles.contains("\(vehicle.model) \(vehicle.year)") {
            guard case .found(let entries) = catalog.catalog.find(vehicle.model), let entry = entries.first else {
                continue
            }
            let search = catalog.search(makes: [entry.make], year: vehicle.year)
            let (detection, time) = try await Self.detect(search, in: Self.simulated(vehicle, search))
            let rank = detection.proposals.firstIndex { $0.model == entry.title }.map { $0 + 1 } ?? .max
            print("\(vehicle.model) \(vehicle.year): \(rank)., \(detection.counts.all) requests, \(time.seconds) s")
            #expect(rank <= 3, "\(vehicle.model): \(detection.proposals.prefix(5))")
            #expect(time < .seconds(60))
            makes.insert(entry.make)
        }
        #expect(makes.count >= 6)
    }

    /// Returns a vehicle whose ECUs answer those requests of the models that the real vehicle has answered.
    private static func simulated(_ vehicle: RecordedVehicle, _ search: ModelSearch) -> SimulatedVehicle.Options {
        var answers: [Destination: Set<[UInt8]>] = [:]
        for request in search.candidates.flatMap(\.requests) where vehicle.answer(to: request) != .silent {
            guard let destination = request.destination else { continue }
            let isAnswered = vehicle.answer(to: request) == .positive
            answers[destination, default: []].formUnion(isAnswered ? [request.payload] : [])
        }
        let ecus = answers.compactMap { destination, requests -> SideECU? in
            guard case .can11(let header) = destination.header, case .can11(let responder) = destination.responder
            else { return nil }
            return SideECU(
                name: "\(destination.header)",
                standard: SideECU.Address(
                    request: UInt32(header),
                    reply: UInt32(responder),
                    prefix: destination.extendedAddress.map { ($0, destination.testerAddress) }
                ),
                extended: nil,
                answers: requests.sorted { $0.lexicographicallyPrecedes($1) }.map { SideECU.Answer($0, length: 2) }
            )
        }
        let usual = VehicleModel.combustion
        var options = SimulatedVehicle.Options()
        options.model = VehicleModel(
            name: vehicle.model,
            summary: "as a recorded vehicle answers",
            powertrain: usual.powertrain,
            bus: usual.bus,
            ecus: usual.ecus,
            services: nil,
            sideECUs: ecus.sorted { $0.name < $1.name },
            battery: nil
        )
        return options
    }

    /// Detects the model while a session polls, and returns the time that it took on the session's clock.
    private static func detect(
        _ search: ModelSearch,
        in options: SimulatedVehicle.Options
    ) async throws -> (ModelDetection, Duration) {
        let clock = ManualClock(now: MonotonicTime(sinceBoot: .seconds(100)))
        let vehicle = SharedVehicle(SimulatedVehicle(options, startedAt: clock.now))
        let (identified, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let session = Session(
            open: { _ in SimulatedLink(vehicle: vehicle, adapter: SimulatedAdapter(), clock: clock) },
            selection: Selection(intervals: [0x0C: .seconds(1), 0x0D: .seconds(1)]),
            parking: ParkingSettings(ParkingPolicy(minimumVoltage: 0)),
            clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { event in
            if case .codes = event { continuation.yield() }
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await session.run() }
            defer { group.cancelAll() }
            for await _ in identified { break }
            return try await session.withBus { lease throws(SessionError) in
                let start = clock.now
                var detection = ModelDetection(search.candidates)
                var step = detection.begin()
                while case .ask(let request) = step {
                    guard let raw = try? RawRequest(payload: request.payload, to: request.destination) else { break }
                    let outcome = try await lease.send(raw, to: request.destination)
                    step = detection.answered(ModelDetection.Answer(outcome))
                    try await lease.letPollPass()
                    try await lease.pause(for: .milliseconds(200))
                }
                return (detection, clock.now - start)
            }
        }
    }
}
