// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("With a real gpsd")
struct PositionTests {
    /// The center of a zone of 200 m, and degrees of longitude for one meter there.
    private static let home = (latitude: 52.5, longitude: 13.44)
    private static let meter = 1 / (111_195 * 0.60876)
    private static let date = Timestamp(milliseconds: 1_795_255_200_000)

    /// A drive at 15 m/s: a stop, a tunnel, a turn to the north and back to the south, and the way home.
    private static let drive: [PlayedReceiver.Epoch] = {
        var (latitude, longitude) = (52.5, 13.4)
        let stop = PlayedReceiver.Epoch(place: (latitude, longitude))
        var epochs = [PlayedReceiver.Epoch](repeating: stop, count: 60)
        func go(_ seconds: Int, heading: Double, inTunnel: Bool = false) {
            for _ in 0..<seconds {
                switch heading {
                case 90: longitude += 15 * Self.meter
                case 0: latitude += 15 / 111_195
                default: latitude -= 15 / 111_195
                }
                epochs.append(
                    inTunnel ? .init() : .init(place: (latitude, longitude), speed: 15, heading: heading)
                )
            }
        }
        go(40, heading: 90)
        go(90, heading: 90, inTunnel: true)
        go(20, heading: 90)
        go(20, heading: 0)
        go(20, heading: 180)
        go(50, heading: 90)
        return epochs
    }()

    private static func distanceFromHome(_ latitude: Double, _ longitude: Double) -> Double {
        let (north, east) = ((latitude - Self.home.latitude) * 111_195, (longitude - Self.home.longitude) / Self.meter)
        return (north * north + east * east).squareRoot()
    }

    private static func settings(_ car: SimulatedCar, _ receiver: PlayedReceiver, trust: String) -> Bench.Settings {
        var settings = Bench.Settings(adapter: car.address)
        settings.trust = trust
        settings.uplink = [
            "[position]", "gpsd = \"127.0.0.1:\(receiver.port)\"", "[[position.zones]]", "name = \"home\"",
            "latitude = \(Self.home.latitude)", "longitude = \(Self.home.longitude)", "radius = 200",
        ]
        return settings
    }

    @Test("A drive is told and recorded, the tunnel is marked, and no place of the zone leaves the agent")
    func drive() async throws {
        // A machine that is busy reads many of the receiver's lines together, and the agent takes one of them.
        for _ in 1...3 where try await Self.showsNorthernCorner() { return }
        Issue.record("none of three tracks shows the northern corner of 300 m")
    }

    private static func showsNorthernCorner() async throws -> Bool {
        let shows = Locked(false)
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            try await PlayedReceiver.play(Self.drive, from: Self.date, pause: 0.1) { receiver in
                let agent = try bench.start(Self.settings(car, receiver, trust: "system"))
                let good = try await bench.first("position", of: vin) { $0.json["quality"] == "good" }
                #expect(good.retain && good.qos == 1)
                #expect(good.json["latitude"].double == 52.5)
                let stale = try await bench.first("position", of: vin) { $0.json["quality"] == "stale" }
                #expect((stale.json["age"].count ?? 0) >= 10)
                #expect(stale.json["speed"].isNull)
                let withheld = try await bench.first("position", of: vin) { $0.json["quality"] == "withheld" }
                #expect(withheld.json["zone"] == "home")
                // The rest of the track comes with the end of the agent.
                agent.signal()
                _ = try await within("the end of the agent") { try await agent.exitStatus() }
                for await line in agent.errors {
                    #expect(!line.contains("52.500") && !line.contains("latitude"), "\(line)")
                }
            }
            let isShown = try Self.check(await bench.everything())
            shows.withLock { $0 = isShown }
        }
        return shows.withLock { $0 }
    }

    /// Checks what was told; returns whether the track shows the northern corner.
    private static func check(_ messages: [Observed]) throws -> Bool {
        let told = messages.filter { $0.topic == "obd/\(vin)/position" }.map(\.json)
        for position in told {
            guard let latitude = position["latitude"].double, let longitude = position["longitude"].double else {
                continue
            }
            #expect(Self.distanceFromHome(latitude, longitude) > 200)
        }
        var points: [Telemetry.TrackPoint] = []
        for record in messages where record.topic == "obd/\(vin)/telemetry" {
            guard let track = Telemetry(record.json)?.track, let start = record.json["t0"].time else { continue }
            points += try #require(track.points(from: start))
            let size = track.polyline.utf8.count + track.dt.reduce(0) { $0 + "\($1),".utf8.count }
            #expect(size <= 12 * track.dt.count + 10)
        }
        #expect(points.count > 5)
        // The start, and the other end of the tunnel; a machine that is busy may make further ones.
        #expect((2...4).contains(points.filter(\.followsGap).count))
        for point in points { #expect(Self.distanceFromHome(point.latitude, point.longitude) > 200) }
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time })
        #expect(points.allSatisfy { $0.latitude < 52.5 + 310 / 111_195 && $0.latitude > 52.5 - 10 / 111_195 })
        return points.contains { $0.latitude > 52.5 + 100 / 111_195 }
    }

    @Test("The satellites confirm a clock that shows their time, and only such a clock", arguments: [true, false])
    func clock(isRight: Bool) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let epochs = [PlayedReceiver.Epoch](repeating: .init(place: (52.4, 13.4)), count: 300)
            let now = Timestamp(milliseconds: KernelClock.now.millisecondsSince1970)
            let date = isRight ? now : now + .seconds(3600)
            // gpsfake begins seconds late, so it catches up: at some time its clock is right.
            try await PlayedReceiver.play(epochs, from: date, pause: 0.28) { receiver in
                let agent = try bench.start(Self.settings(car, receiver, trust: "gps"))
                defer { agent.signal() }
                let word = isRight ? "clock agrees with" : "clock differs from"
                _ = try await agent.errors.next("the comparison") { $0.contains(word) }
                guard isRight else { return }
                let status = try await bench.first("status", of: vin) { $0.json["clock"] == "synchronised" }
                #expect(status.retain)
            }
        }
    }

    @Test("Of a vehicle that is not the expected one no position is published, not even before it is known")
    func unexpected() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let epochs = [PlayedReceiver.Epoch](repeating: .init(place: (52.4, 13.4)), count: 600)
            try await PlayedReceiver.play(epochs, from: Self.date, pause: 0.06) { receiver in
                var settings = Self.settings(car, receiver, trust: "system")
                (settings.vehicle, settings.identity) = ("van", ["expected_vin = \"1HGCM82633A004352\""])
                let agent = try bench.start(settings)
                _ = try await bench.observer.first("the alarm") {
                    $0.topic.hasPrefix("obd/agent-") && $0.topic.hasSuffix("/events")
                        && $0.json["event"] == "wrong_vehicle"
                }
                agent.signal()
                _ = try await within("the end of the agent") { try await agent.exitStatus() }
            }
            let positions = try await bench.everything().filter { $0.topic.hasSuffix("/position") }
            #expect(positions.allSatisfy { $0.text.isEmpty })
        }
    }

    @Test("A peer that is no gpsd is given up, and the agent goes on")
    func stranger() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            // The simulated adapter greets as no gpsd does.
            let port = try await SimulatedCar().port
            let agent = try bench.start(Self.settings(car, PlayedReceiver(port: port), trust: "system"))
            defer { agent.signal() }
            _ = try await agent.errors.next("the refusal") { $0.contains("No gpsd") }
            _ = try await bench.first("status", of: vin) { $0.json["link"] == "connected" }
        }
    }
}
