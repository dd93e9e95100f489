// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import OBD2
import SignalSets
import Testing

/// The model of real vehicles, found by the requests that they answered.
@Suite("Models of real vehicles", .enabled(if: Recordings.areThere, Recordings.hint))
struct DetectionTests {
    /// The vehicles whose model is not among the first three.
    ///
    /// The Transit Connect's set has five requests, which all other models share. The Escape is the fourth of six Fords
    /// that share what it answers. Both Passats answer a few of the 495 requests of their make's set only, so the
    /// detection asks others.
    static let known: Set = [
        "Ford-Escape 2013", "Ford-Transit-Connect 2026", "Volkswagen-Passat 2011", "Volkswagen-Passat 2013",
    ]

    @Test("The right model is among the first three, after at most 41 requests")
    func ranks() throws {
        let catalog = LocalCatalog(paths: [Recordings.path("obdb/sets")])
        var searches: [String: ModelSearch] = [:]
        var (count, first, requests, most) = (0, 0, 0, 0)
        var makes: Set<String> = []
        for vehicle in RecordedVehicle.all(try Recordings.lines("obdb/answered.tsv.gz")) {
            guard case .found(let entries) = catalog.catalog.find(vehicle.model), let entry = entries.first else {
                continue
            }
            let key = "\(entry.make) \(vehicle.year)"
            let search = searches[key] ?? catalog.search(makes: [entry.make], year: vehicle.year)
            searches[key] = search
            let candidates = search.candidates.map { candidate in
                ModelCandidate(model: candidate.model, requests: candidate.requests.filter(vehicle.isReached))
            }
            let right = candidates.first { $0.model == entry.title }
            // The detection cannot find the model of a vehicle that answers none of its model's requests.
            guard let right, right.requests.contains(where: { vehicle.answer(to: $0) == .positive }) else { continue }
            var detection = ModelDetection(candidates)
            var step = detection.begin()
            while case .ask(let request) = step { step = detection.answered(vehicle.answer(to: request)) }
            // The detection cannot distinguish two models with the same requests.
            let twins = candidates.filter { Set($0.requests) == Set(right.requests) }.map(\.model)
            let rank = detection.proposals.firstIndex { twins.contains($0.model) }.map { $0 + 1 } ?? .max
            let name = "\(vehicle.model) \(vehicle.year)"
            #expect(rank <= 3 || Self.known.contains(name), "\(name): \(detection.proposals.map(\.model))")
            #expect(detection.counts.all <= ModelDetection.requestLimit)
            (count, first, requests) = (count + 1, first + (rank == 1 ? 1 : 0), requests + detection.counts.all)
            most = max(most, detection.counts.all)
            makes.insert(entry.make)
        }
        print("\(count) vehicles, \(makes.count) makes: \(first) right at once, \(requests) requests, at most \(most)")
        #expect(count > 200 && makes.count >= 6 && first * 10 >= count * 8)
    }
}
