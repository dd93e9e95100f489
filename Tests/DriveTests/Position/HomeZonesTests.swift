// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("Home zones")
struct HomeZonesTests {
    private static let home = HomeZones.Zone(name: "home", center: .at(52.5, 13.4), radius: 300)

    /// Returns bytes that differ for each number, and are always the same for one number.
    private static func bytes(_ number: UInt64) -> [UInt8] {
        let mixed = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
        return (0..<8).map { UInt8(truncatingIfNeeded: (mixed ^ mixed >> 29) >> (8 * UInt64($0))) }
    }

    @Test("No place in the zone is published, wherever its circle lies", arguments: UInt64(0)..<200)
    func contained(seed: UInt64) {
        let zones = HomeZones([Self.home]) { _ in Self.bytes(seed) }
        for heading in stride(from: 0.0, to: 360, by: 10) {
            for distance in [0, 100, 299, 300.0] {
                #expect(zones.name(of: Self.home.center.moved(by: distance, toward: heading)) == "home")
            }
            #expect(zones.name(of: Self.home.center.moved(by: 910, toward: heading)) == nil)
        }
    }

    @Test("The largest random numbers move the circle by no more than the radius")
    func extremes() {
        for bytes in [[UInt8](repeating: 0, count: 8), [UInt8](repeating: 255, count: 8), []] {
            let zones = HomeZones([Self.home]) { _ in bytes }
            for heading in stride(from: 0.0, to: 360, by: 15) {
                #expect(zones.name(of: Self.home.center.moved(by: 300, toward: heading)) == "home")
            }
        }
    }

    @Test("The places at which tracks break off do not show the center")
    func blurred() {
        // A spy takes the mean of the places at which the circle begins, in 36 directions.
        let errors = (UInt64(0)..<200).map { seed in
            let zones = HomeZones([Self.home]) { _ in Self.bytes(seed) }
            let edges = stride(from: 0.0, to: 360, by: 10).map { heading in
                let distance =
                    Array(stride(from: 0.0, to: 1000, by: 5)).last {
                        zones.name(of: Self.home.center.moved(by: $0, toward: heading)) != nil
                    } ?? 0
                return Self.home.center.offset(to: Self.home.center.moved(by: distance, toward: heading))
            }
            let (east, north) = edges.reduce((0.0, 0.0)) { ($0.0 + $1.east / 36, $0.1 + $1.north / 36) }
            return (east * east + north * north).squareRoot()
        }
        #expect(errors.count { $0 > 100 } > 100)
        #expect(errors.reduce(0, +) / 200 > 100)
    }

    @Test(
        "A zone at the antimeridian or at a pole hides all of it",
        arguments: [(-17.0, 179.9995), (-17, -180), (90, 0)]
    )
    func edges(latitude: Double, longitude: Double) {
        let zone = HomeZones.Zone(name: "edge", center: .at(latitude, longitude), radius: 200)
        let zones = HomeZones([zone]) { _ in Self.bytes(7) }
        for heading in stride(from: 0.0, to: 360, by: 20) {
            #expect(zones.name(of: zone.center.moved(by: 200, toward: heading)) == "edge")
            #expect(zones.name(of: zone.center.moved(by: 700, toward: heading)) == nil)
        }
    }
}
