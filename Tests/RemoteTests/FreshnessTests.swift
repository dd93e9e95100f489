// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("How old a value is")
struct FreshnessTests {
    /// 2026-11-21T10:00:00Z, 1000 s after the start of the machine.
    private static let now = ViewerTime(at(1000), Timestamp(milliseconds: 1_795_255_200_000))

    private static func payload(_ time: String, _ more: String = "") -> JSON {
        JSON(payload: Array(#"{"value": 1, "time": "\#(time)"\#(more)}"#.utf8))
    }

    private static func json(_ text: String) -> JSON { JSON(payload: Array(text.utf8)) }

    @Test("The age of a message that arrived is that since its arrival, whatever the clocks say")
    func arrived() {
        for time in ["2026-11-21T09:00:00.000Z", "1970-01-01T00:00:00.000Z", "2038-01-01T00:00:00.000Z", "nonsense"] {
            let measured = MeasurementTime(Self.payload(time), isRetained: false, at: at(988))
            #expect(measured.age(at: Self.now) == .seconds(12))
        }
    }

    @Test(
        "The age of a message that the broker had kept is by its time, or unknown",
        arguments: [
            ("2026-11-21T09:59:30.000Z", "", 30.0), ("2026-11-20T10:00:00.000Z", "", 86_400),
            // A clock that is a minute ahead is usual, one that is further ahead is wrong.
            ("2026-11-21T10:00:59.000Z", "", 0), ("2026-11-21T10:01:01.000Z", "", nil), ("nonsense", "", nil),
            ("2026-11-21T09:59:30.000Z", #", "quality": "unsynchronised""#, nil),
            ("2026-11-21T09:59:30.000Z", #", "clock": "unsynchronised""#, nil),
            ("2026-11-21T09:59:30.000Z", #", "quality": "derived", "clock": "synchronised""#, 30),
        ]
    )
    func retained(time: String, more: String, expected: Double?) {
        let measured = MeasurementTime(Self.payload(time, more), isRetained: true, at: at(999))
        #expect(measured.age(at: Self.now)?.seconds == expected)
    }

    @Test("A value is live up to its limit, then late, and last known as soon as anything is not lit")
    func kinds() {
        let limit = Duration.seconds(70)
        #expect(Freshness(age: .seconds(70), limit: limit, isMeasured: true) == .live)
        #expect(Freshness(age: .seconds(71), limit: limit, isMeasured: true) == .late(age: .seconds(71)))
        #expect(Freshness(age: .zero, limit: limit, isMeasured: false) == .lastKnown(age: .zero))
        // A value of unknown age is never live.
        #expect(Freshness(age: nil, limit: limit, isMeasured: true) == .lastKnown(age: nil))
    }

    @Test(
        "A last known value is as old as the silence, if it was live when that began",
        arguments: [
            (90.0, 20.0, 20.0), (90, 19, 90), (90, nil, 90), (20, 20, 20),
            // The value arrived after the lamps had gone out.
            (10, 20, 10),
        ] as [(Double, Double?, Double)]
    )
    func held(age: Double, silence: Double?, expected: Double) {
        let freshness = Freshness(
            age: .seconds(age),
            limit: .seconds(70),
            isMeasured: false,
            silence: silence.map { .seconds($0) }
        )
        #expect(freshness == .lastKnown(age: .seconds(expected)))
    }

    @Test(
        "The limit is that of the agent, the interval of the parameter, and ten seconds for the way",
        arguments: [
            (#"{"live_within": 60}"#, #"{"selected": {"engine_speed": 0.5}}"#, 70.5),
            (#"{"live_within": 600}"#, #"{"selected": {"oil_temperature": 5}}"#, 610), ("{}", "{}", 70),
            (#"{"live_within": "soon"}"#, #"{"selected": {"engine_speed": -1}}"#, 70),
            (#"{"live_within": 1e300}"#, #"{"selected": []}"#, 70),
        ]
    )
    func limits(status: String, vehicle: String, expected: Double) {
        let limit = Freshness.limit(of: "engine_speed", status: Self.json(status), vehicle: Self.json(vehicle))
        #expect(limit.seconds == expected)
    }

    @Test("The supply voltage has the interval of the adapter, and those of a start and of a rest are never live")
    func supply() {
        #expect(Freshness.limit(of: "supply_voltage", status: "", vehicle: "").seconds == 105)
        #expect(!Freshness.isOfEvent("supply_voltage") && !Freshness.isOfEvent("engine_speed"))
        for name in ["supply_voltage_cranking", "supply_voltage_resting", "supply_voltage_trend"] {
            #expect(Freshness.isOfEvent(name))
        }
    }

    // MARK: - The lamps

    private static func lamps(
        _ connection: ViewerConnection = .connected,
        _ availability: String = "online",
        _ status: String = #"{"link": "connected", "vehicle_confirmed": true, "ignition": "running"}"#,
        told: Set<String> = ["availability", "status"],
        from source: LiveSource = .broker("broker.example"),
        broker: String? = nil
    ) -> Lamps {
        var picture = VehiclePicture(name: "van")
        picture.receive("availability", Array(availability.utf8))
        picture.receive("status", Array(status.utf8))
        if let broker { picture.receive("broker", Array(broker.utf8)) }
        return Lamps(from: source, connection, picture, told: told, at: Self.now.monotonic)
    }

    private static func words(_ lamps: Lamps) -> [String] { lamps.all.map { "\($0.name) \($0.state)" } }

    @Test("All four lamps are lit while a vehicle is read")
    func lit() {
        let lamps = Self.lamps()
        #expect(lamps.areLit && lamps.all.allSatisfy { $0.light == .good })
        #expect(Self.words(lamps) == ["broker connected", "agent online", "adapter connected", "vehicle running"])
    }

    @Test("Without the broker nothing is known of the others")
    func withoutBroker() {
        let lamps = Self.lamps(.lost(since: at(988), reason: "gone"))
        #expect(!lamps.areLit)
        #expect(lamps.broker.light == .attention && lamps.all.dropFirst().allSatisfy { $0.light == .out })
        let words = ["broker lost 12 s ago", "agent was online", "adapter was connected", "vehicle was running"]
        #expect(Self.words(lamps) == words)
    }

    @Test("At the agent itself, values are live without a broker, and the first lamp is the agent's own connection")
    func atTheAgent() {
        func lamps(_ broker: String?, _ connection: ViewerConnection = .connected) -> Lamps {
            let told: Set<String> = ["availability", "status", "broker"]
            return Self.lamps(connection, told: told, from: .agent, broker: broker)
        }
        let apart = lamps(#"{"connected": false, "server": "a:1", "problem": "gone"}"#)
        #expect(apart.areLit && apart.broker.state == "not connected" && apart.broker.light == .attention)
        #expect(lamps(#"{"connected": true}"#).broker.light == .good)
        let alone = lamps(#"{"connected": false}"#)
        #expect(alone.areLit && alone.broker.state == "not configured" && alone.broker.light == .absent)
        #expect(lamps(nil).broker.state == "unknown" && lamps(nil).areLit)
        let lost = lamps(#"{"connected": true}"#, .lost(since: at(988), reason: "the agent has ended"))
        #expect(!lost.areLit && lost.agent.state == "lost 12 s ago" && lost.agent.light == .attention)
        #expect(lost.broker.state == "was connected" && lost.broker.light == .out)
    }

    @Test(
        "What an earlier connection has told is last known, until the present one tells it",
        arguments: [[], ["status"]]
    )
    func notTold(told: [String]) {
        let lamps = Self.lamps(told: Set(told))
        #expect(!lamps.areLit && lamps.broker.light == .good)
        #expect(lamps.all.dropFirst().allSatisfy { $0.light == .out && $0.state.hasPrefix("was ") })
        #expect(!Self.lamps(told: ["availability"]).areLit)
    }

    @Test("Behind an adapter that is away, the vehicle is what it was")
    func withoutAdapter() {
        let status = #"{"link": "waiting", "vehicle_confirmed": false, "ignition": "running"}"#
        let lamps = Self.lamps(.connected, "online", status)
        #expect(!lamps.areLit && lamps.link.light == .attention && lamps.vehicle.light == .out)
        #expect(Self.words(lamps).suffix(2) == ["adapter waiting", "vehicle was running"])
    }

    @Test("Behind an agent that is offline, adapter and vehicle are last known")
    func offline() {
        let lamps = Self.lamps(.connected, "offline")
        #expect(!lamps.areLit && lamps.agent.light == .attention)
        #expect(lamps.link.light == .out && lamps.vehicle.light == .out)
    }

    @Test(
        "One lamp that is not lit is enough",
        arguments: [
            #"{"link": "waiting", "vehicle_confirmed": true}"#,
            #"{"link": "searching"}"#, #"{"link": "connected", "vehicle_confirmed": false}"#,
            #"{"link": "connected", "parked": true}"#, "{}", "nonsense",
        ]
    )
    func partlyLit(status: String) {
        #expect(!Self.lamps(.connected, "online", status).areLit)
    }

    @Test("A parked vehicle is known to be parked although the adapter rests")
    func parked() {
        let lamps = Self.lamps(
            .connected,
            "online",
            #"{"link": "waiting", "parked": true, "vehicle_confirmed": false, "ignition": "off"}"#
        )
        #expect(lamps.vehicle.state == "parked" && lamps.vehicle.light == .attention)
    }

    @Test("No text of a status controls the terminal")
    func hostile() {
        let lamps = Self.lamps(.connected, "online", #"{"link": "\u001b[2J", "ignition": "\u009b31mx"}"#)
        #expect(Self.words(lamps).joined().unicodeScalars.allSatisfy { 0x20...0x7E ~= $0.value || $0 == "\u{FFFD}" })
    }
}
