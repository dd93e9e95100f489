// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Drive

@Suite("Coordinates")
struct CoordinateTests {
    @Test("A place beyond the poles or the antimeridian does not exist")
    func range() {
        #expect(Coordinate(latitude: 90.01, longitude: 0) == nil)
        #expect(Coordinate(latitude: 0, longitude: -180.01) == nil)
        #expect(Coordinate(latitude: .nan, longitude: 0) == nil)
        #expect(Coordinate(latitude: 0, longitude: .infinity) == nil)
        #expect(Coordinate(latitude: 0, longitude: 180)?.longitude == -180)
    }

    @Test("Known distances are right to half a percent")
    func distances() {
        // Berlin to Paris, by the geodesic of WGS 84: 877.5 km.
        let berlin = Coordinate.at(52.5200, 13.4050)
        #expect((berlin.distance(to: .at(48.8566, 2.3522)) / 877_500 - 1).magnitude < 0.005)
        #expect(berlin.distance(to: berlin) == 0)
        #expect((Coordinate.at(-90, 0).distance(to: .at(90, 77)) / 20_015_000 - 1).magnitude < 0.001)
    }

    @Test("A short way over the antimeridian is short")
    func antimeridian() {
        let (west, east) = (Coordinate.at(-17, 179.999), Coordinate.at(-17, -179.999))
        #expect(west.distance(to: east) < 220)
        #expect((west.offset(to: east).east - 212.7).magnitude < 2)
        #expect((east.offset(to: west).east + 212.7).magnitude < 2)
        let moved = west.moved(by: 300, toward: 90)
        #expect(moved.longitude < -179.99)
        #expect((west.distance(to: moved) - 300).magnitude < 0.01)
    }

    @Test("A way over a pole stays on the Earth", arguments: [90.0, 89.9999, -89.9999, -90])
    func poles(latitude: Double) {
        let place = Coordinate.at(latitude, 10)
        for heading in stride(from: 0.0, to: 360, by: 30) {
            let moved = place.moved(by: 500, toward: heading)
            #expect(moved.latitude.magnitude <= 90)
            #expect((place.distance(to: moved) - 500).magnitude < 0.01)
        }
    }

    @Test("A cell of the grid holds its places, and is at least a kilometer wide and high")
    func grid() {
        for latitude in stride(from: -89.995, through: 89.995, by: 0.731) {
            for longitude in stride(from: -179.99, through: 179.99, by: 7.77) {
                let place = Coordinate.at(latitude, longitude)
                let cell = place.coarse
                #expect(cell.coarse == cell)
                #expect((cell.latitude - latitude).magnitude <= 0.00501)
                guard latitude.magnitude < 85 else { continue }
                #expect(place.distance(to: cell) <= PositionWatch.coarseError)
                let neighbor = cell.moved(by: 490, toward: 90)
                #expect(neighbor.coarse == cell)
            }
        }
    }
}
