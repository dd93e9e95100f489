// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import HomeAssistant

@Suite("The figures of trips")
struct TripFigureTests {
    private static func state(fuel: Double?, energy: Double?) -> TripState {
        var trip = TripReport(
            start: .init(),
            end: .init(),
            duration: 600,
            moving: 600,
            idling: 0,
            stopped: 0,
            unobserved: 0
        )
        trip.distance = 5
        trip.fuelConsumption = fuel
        trip.energyConsumption = energy
        return TripState(
            time: Timestamp(milliseconds: 0),
            clock: .synchronised,
            ongoing: false,
            trip: trip,
            totals: .init(trips: 1, distance: 5, fuel: fuel, energy: energy, regenerated: energy)
        )
    }

    @Test("Only figures that the vehicle can measure are known")
    func known() {
        let common: Set<TripFigure> = [.distance, .duration, .totalDistance]
        #expect(TripFigure.known(in: Self.state(fuel: nil, energy: nil)) == common)
        #expect(
            TripFigure.known(in: Self.state(fuel: 6, energy: nil)) == common.union([.fuelConsumption, .totalFuel])
        )
        #expect(
            TripFigure.known(in: Self.state(fuel: nil, energy: 15))
                == common.union([.energyConsumption, .totalEnergy, .totalRegenerated])
        )
    }

    @Test("Totals only grow, and the distance has the trip as its attributes")
    func entities() {
        let topic = { (path: TopicPath) in "obd/van/\(path)" }
        for figure in TripFigure.allCases {
            let entity = Entity.trip(figure, topic)
            #expect(entity.settings["stat_t"] == .string("obd/van/trip"))
            let isTotal = entity.key.hasPrefix("total-")
            #expect(entity.settings["stat_cla"] == .string(isTotal ? "total_increasing" : "measurement"))
            #expect((entity.settings["json_attr_t"] != nil) == (figure == .distance))
        }
    }
}
