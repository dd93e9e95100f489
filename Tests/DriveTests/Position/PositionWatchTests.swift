// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("The watch for the position")
struct PositionWatchTests {
    private static let home = HomeZones.Zone(name: "home", center: .at(52.5, 13.42), radius: 200)

    private func watch(_ sharing: PositionSharing, _ zones: [HomeZones.Zone] = []) -> PositionWatch {
        PositionWatch(sharing, zones: HomeZones(zones) { _ in [UInt8](repeating: 100, count: 8) })
    }

    @Test("A drive is published and recorded")
    func drive() throws {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full))
        let actions = drive.fixes(120).map { watch.fixReceived($0) }
        #expect(actions[0] == .init())
        let position = try #require(actions.last?.position)
        #expect(position.quality == .good)
        #expect(position.fix == drive.fix)
        #expect(position.time == drive.now)
        #expect(actions.flatMap(\.points).count == 4)
        #expect(actions.last?.place == .known(drive.place))
    }

    @Test("In a tunnel the last position is published with its age, and never as the present one")
    func tunnel() throws {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full))
        let entry = try #require(drive.fixes(20).map { watch.fixReceived($0) }.last?.position?.fix)
        for _ in 0..<6 {
            drive.drive(10)
            let position = try #require(watch.timePassed(to: drive.now).position)
            #expect(position.fix == entry)
            #expect(position.time == entry.time)
            #expect((position.quality == .stale) == (drive.now - entry.time > .seconds(10)))
        }
        #expect(drive.fixes(3).map { watch.fixReceived($0) }.last?.position?.quality == .good)
    }

    @Test("A jump is marked, and the position of before stays")
    func jump() throws {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full))
        let before = try #require(drive.fixes(20).map { watch.fixReceived($0) }.last?.position)
        drive.drive()
        var jump = drive.fix
        jump.coordinate = drive.place.moved(by: 3000, toward: 0)
        let position = try #require(watch.fixReceived(jump).position)
        #expect(position.quality == .jumping)
        #expect(position.fix == before.fix)
        #expect(watch.fixReceived(jump) == .init())
    }

    @Test("Nothing within a zone is published or recorded, with any sharing", arguments: PositionSharing.allCases)
    func zone(sharing: PositionSharing) {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(sharing, [Self.home]))
        var places: [Coordinate] = []
        var zones: Set<String> = []
        // Through the zone and out of it at the other side.
        for fix in drive.fixes(200) {
            let actions = watch.fixReceived(fix)
            places += actions.points.map(\.coordinate)
            if let coordinate = actions.position?.fix?.coordinate { places.append(coordinate) }
            if case .known(let place) = actions.place { places.append(place) }
            if let zone = actions.position?.zone { zones.insert(zone) }
            if actions.position?.quality == .withheld { #expect(actions.position?.fix == nil) }
        }
        places += watch.vehicleChanged().map(\.coordinate)
        #expect(places.isEmpty == (sharing == .never))
        #expect(places.allSatisfy { $0.distance(to: Self.home.center) > Self.home.radius })
        #expect(zones == (sharing.publishesPosition ? ["home"] : []))
    }

    @Test("The track ends before a zone and goes on behind it with a gap")
    func interruptedTrack() {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full, [Self.home]))
        let points = drive.fixes(200).flatMap { watch.fixReceived($0).points }
        let gaps = points.indices.filter { points[$0].followsGap }
        #expect(gaps.count == 2)
        #expect(gaps.first == 0)
    }

    @Test("A coarse position is the cell of a grid, without what would narrow it down")
    func coarse() throws {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.coarse))
        let actions = drive.fixes(120).map { watch.fixReceived($0) }
        #expect(actions.flatMap(\.points).isEmpty)
        let fix = try #require(actions.last?.position?.fix)
        #expect(fix == Fix(drive.place.coarse, .two, accuracy: PositionWatch.coarseError, at: drive.now))
        #expect(actions.last?.place == .known(drive.place.coarse))
    }

    @Test("With trips only the place of a trip is published, with never nothing")
    func silent() {
        for sharing in [PositionSharing.trips, .never] {
            var (drive, watch) = (ReceiverOnRoad(), self.watch(sharing))
            let actions = drive.fixes(60).map { watch.fixReceived($0) }
            #expect(actions.allSatisfy { $0.position == nil && $0.points.isEmpty })
            #expect(actions.last?.place == (sharing == .trips ? .known(drive.place) : nil))
            #expect(watch.timePassed(to: drive.now + .seconds(60)) == .init())
            #expect(watch.parked() == [])
        }
    }

    @Test("A receiver that hangs, and repeats its last fix, makes the position stale, and is no place of a trip")
    func hanging() throws {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full))
        _ = drive.fixes(60).map { watch.fixReceived($0) }
        var fix = drive.fix
        let actions = (1...150).map { _ in
            fix.time = fix.time + .seconds(1)
            return watch.fixReceived(fix)
        }
        #expect(actions.prefix(9).allSatisfy { $0 == .init() })
        #expect(actions[12...].allSatisfy { $0.position?.quality == .stale && $0.points.isEmpty })
        #expect(actions.last?.position?.time == drive.now && actions.allSatisfy { $0.place == nil })
    }

    @Test("Of another vehicle nothing is published before its own fixes settle")
    func anotherVehicle() {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full))
        _ = drive.fixes(60).map { watch.fixReceived($0) }
        _ = watch.vehicleChanged()
        #expect(watch.timePassed(to: drive.now + .seconds(60)) == .init())
        let positions = drive.fixes(3).map { watch.fixReceived($0).position }
        #expect(positions[..<2].allSatisfy { $0 == nil } && positions[2]?.quality == .good)
    }

    @Test("A parked vehicle ends its track where it stands")
    func parked() {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.full))
        let points = drive.fixes(40).flatMap { watch.fixReceived($0).points } + watch.parked()
        #expect(points.last?.time == drive.now)
        drive.speed = 0
        for _ in 0..<10 {
            #expect(drive.fixes(45).flatMap { watch.fixReceived($0).points } + watch.parked() == [])
        }
    }

    @Test("Within a zone the place of a trip is withheld, and nowhere else")
    func trips() throws {
        var (drive, watch) = (ReceiverOnRoad(), self.watch(.trips, [Self.home]))
        let places = drive.fixes(500).map { watch.fixReceived($0).place }
        let first = try #require(places.firstIndex(of: .withheld))
        let last = try #require(places.lastIndex(of: .withheld))
        #expect(places[..<first].dropFirst(2).allSatisfy { $0 != nil && $0 != .withheld })
        #expect(places[first...last].allSatisfy { $0 == .withheld })
        // Through a circle of 800 m at 15 m/s at most.
        #expect((10...54).contains(last - first))
    }
}
