// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("The filter of fixes")
struct FixFilterTests {
    @Test("A cold start settles: three fixes have to agree")
    func coldStart() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        // The first fixes of a cold receiver are kilometers away from each other.
        for latitude in [52.61, 52.47, 52.39] {
            var fix = drive.fix
            fix.coordinate = .at(latitude, 13.3)
            #expect(filter.received(fix) == .settling)
            drive.drive()
        }
        #expect(drive.fixes(5).map { filter.received($0) } == [.settling, .settling, .accepted, .accepted, .accepted])
    }

    @Test("An inaccurate fix is no position, and neither is 0° N 0° E")
    func inaccurate() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        var fix = drive.fix
        fix.accuracy = 201
        #expect(filter.received(fix) == .inaccurate)
        drive.drive()
        fix = drive.fix
        fix.coordinate = .at(0, 0)
        #expect(filter.received(fix) == .inaccurate)
        #expect(filter.newest == nil)
    }

    @Test("A repeated fix counts once, and a flood is thinned")
    func flood() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        #expect(drive.fixes(3).map { filter.received($0) }.last == .accepted)
        let fix = drive.fix
        for step in 1...1000 {
            var repeated = fix
            repeated.time = fix.time + .milliseconds(step)
            #expect(filter.received(repeated) == .repeated)
        }
        var accepted = 0
        drive.wait(2)
        for step in 0..<1000 {
            var next = drive.fix
            next.receiverTime = drive.date + .milliseconds(step)
            next.time = drive.now + .milliseconds(step)
            if filter.received(next) == .accepted { accepted += 1 }
        }
        #expect(accepted == 7)
    }

    @Test("A jump is refused, and the drive goes on")
    func jump() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        _ = drive.fixes(5).map { filter.received($0) }
        drive.drive()
        var jump = drive.fix
        jump.coordinate = drive.place.moved(by: 800, toward: 0)
        #expect(filter.received(jump) == .jumping)
        #expect(filter.isJumping)
        drive.drive()
        #expect(filter.received(drive.fix) == .accepted)
        #expect(!filter.isJumping)
    }

    @Test("Six fixes that agree with each other correct a wrong position")
    func correction() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        _ = drive.fixes(5).map { filter.received($0) }
        drive.place = drive.place.moved(by: 5000, toward: 180)
        let verdicts = drive.fixes(7).map { filter.received($0) }
        #expect(verdicts == [.jumping, .jumping, .jumping, .jumping, .jumping, .accepted, .accepted])
    }

    @Test("A position is stale ten seconds after the last fix")
    func stale() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        #expect(filter.isStale(at: drive.now))
        _ = drive.fixes(3).map { filter.received($0) }
        #expect(!filter.isStale(at: drive.now + .seconds(10)))
        #expect(filter.isStale(at: drive.now + .milliseconds(10_001)))
    }

    @Test("The first fix after a tunnel is accepted where the vehicle can be by then")
    func tunnel() {
        var (drive, filter) = (ReceiverOnRoad(speed: 25), FixFilter())
        _ = drive.fixes(3).map { filter.received($0) }
        drive.drive(45)
        #expect(filter.received(drive.fix) == .accepted)
    }

    @Test("After a long gap the fixes settle anew, wherever the vehicle is then")
    func ferry() {
        var (drive, filter) = (ReceiverOnRoad(), FixFilter())
        _ = drive.fixes(3).map { filter.received($0) }
        drive.wait(7200)
        drive.place = .at(54.6, 12.1)
        #expect(drive.fixes(3).map { filter.received($0) } == [.settling, .settling, .accepted])
    }

    @Test("Fixes that have waited in a buffer are no jump")
    func buffered() {
        var (drive, filter) = (ReceiverOnRoad(speed: 30), FixFilter())
        _ = drive.fixes(3).map { filter.received($0) }
        var fixes = drive.fixes(20)
        // All twenty arrive within four seconds.
        for index in fixes.indices { fixes[index].time = drive.now + .milliseconds(200 * index) }
        #expect(fixes.map { filter.received($0) } == [FixFilter.Verdict](repeating: .accepted, count: 20))
    }

    @Test("A drive over the antimeridian is no jump")
    func antimeridian() {
        var (drive, filter) = (ReceiverOnRoad(-17, 179.9995, speed: 20), FixFilter())
        let verdicts = drive.fixes(10).map { filter.received($0) }
        #expect(verdicts.dropFirst(2).allSatisfy { $0 == .accepted })
        #expect(drive.place.longitude < 0)
    }
}
