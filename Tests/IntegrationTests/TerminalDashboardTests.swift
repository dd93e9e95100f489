// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("A dashboard on a terminal of its own")
struct TerminalDashboardTests {
    /// The result of a program on a terminal.
    struct Seen {
        let json: JSON

        var code: Int? { self.json["code"].double.map { Int($0) } }
        var isRestored: Bool { self.json["restored"] == true }
        func screen(_ name: String) -> [String] { self.json["screens"][name].elements.compactMap(\.string) }
    }

    /// Runs a program on a terminal, and calls `body` with each line that a step says.
    ///
    /// - Parameter environment: variables that the program gets besides those of the test.
    static func watch(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        _ steps: [JSON],
        _ body: (String) async throws -> Void = { _ in }
    ) async throws -> Seen {
        let program = try Program(builtHere: name).path
        let child = try PythonTools().start(
            "watch_terminal",
            [JSON.array(steps).text, program] + arguments,
            environment: environment
        )
        var last = ""
        for await line in child.output {
            last = line
            if !line.hasPrefix("{") { try await body(line) }
        }
        let errors = await child.errors.reduce(into: [String]()) { $0.append($1) }
        try #require(last.hasPrefix("{"), "\(errors.joined(separator: "\n"))")
        return Seen(json: JSON(parsing: Array(last.utf8)))
    }

    /// The steps to the screen at 80 columns and, after a key, at 40.
    private static func sizes(key: String) -> [JSON] {
        [
            ["wait": "^Speed .*km/h"], ["wait": "keys$"], ["keep": "usual"], ["resize": [120, 40]],
            ["wait": "^Speed .{40,}Values"], ["wait": "keys$"],
            ["keep": "wide"], ["type": .string(key)], ["resize": [40, 12]], ["wait": "q quit"], ["keep": "small"],
        ]
    }

    @Test(
        "A vehicle is shown by remote watch, and the terminal is left as it was",
        arguments: ["q", "SIGINT", "SIGTERM", "SIGQUIT", "SIGSEGV"]
    )
    func remote(end: String) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301,P0420"])
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("parameters/vehicle_speed", of: vin)
            let url = "mqtt://127.0.0.1:\(bench.broker.port)"
            let last: JSON = end == "q" ? ["type": "q"] : ["signal": .string(end)]
            let steps = Self.sizes(key: "p") + [last, ["end": true]]
            let seen = try await Self.watch("obd-remote", ["watch", "--broker", url], steps)
            // A crash is a crash, but does not leave the shell without a cursor.
            #expect(seen.code == (end == "SIGSEGV" ? -11 : 0) && seen.isRestored, "\(seen.json.text)")
            let usual = seen.screen("usual")
            #expect(usual.first?.hasPrefix(vin) == true && usual.first?.hasSuffix(" UTC") == true)
            #expect(usual.contains { $0.hasPrefix("● broker   ● agent online   ● adapter connected") }, "\(usual)")
            #expect(usual.allSatisfy { $0.count <= 80 } && usual.count == 24)
            let wide = seen.screen("wide")
            #expect(wide.contains { $0.hasPrefix("Speed") && $0.contains("km/h") && $0.contains("Values") }, "\(wide)")
            let small = seen.screen("small")
            #expect(small.allSatisfy { $0.count <= 40 } && small.count == 12)
            #expect(small.contains { $0.contains("[x] Engine load") }, "\(small)")
        }
    }

    @Test("The machine's own configuration is enough")
    func local() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar([])
            let agent = try bench.start(.init(adapter: car.address, vehicle: "van-12"))
            defer { agent.signal() }
            _ = try await bench.first("parameters/vehicle_speed", of: "van-12")
            let arguments = ["watch", "--config", "\(bench.directory.path)/agent.toml"]
            let steps = Self.sizes(key: " ") + [["type": "q"], ["end": true]]
            let seen = try await Self.watch("obd-agent", arguments, steps)
            #expect(seen.code == 0 && seen.isRestored)
            #expect(seen.screen("usual").first?.hasPrefix("van-12") == true)
            // Without a terminal the program prints lines.
            let lines = try await Program(builtHere: "obd-agent").run(arguments + ["--for", "2s"])
            #expect(lines.contains { $0.contains("vehicle_speed") } && !lines.joined().contains("\u{1B}"))
        }
    }

    /// Publishes the state of a driving vehicle.
    private static func publish(to broker: Broker) async throws {
        let publisher = Publisher(broker)
        let status = #"""
            {"agent": "12ab", "link": "connected", "vehicle_confirmed": true, "ignition": "running", "live_within": 60,
            "time": "2026-11-21T10:00:00.000Z", "clock": "synchronised"}
            """#
        for (path, payload) in [
            ("availability", "online"), ("status", status),
            ("parameters/vehicle_speed", #"{"value": 81, "unit": "km/h", "ecu": "7E8", "quality": "unsynchronised"}"#),
        ] { try await publisher.publish(payload, to: "obd/van/\(path)", retain: true) }
    }

    @Test("A shell that has had the terminal does not stop the screen, and a full terminal does not stop the end")
    func terminal() async throws {
        let broker = try await Broker()
        try await Self.publish(to: broker)
        let arguments = ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--vehicle", "van"]
        let live: [JSON] = [["wait": "^Speed +81 km/h"]]
        let cooked = try await Self.watch(
            "obd-remote",
            arguments,
            live + [
                ["cook": true], ["type": "?"], ["wait": "show and hide"], ["type": "?"], ["wait": "^Speed"],
                ["type": "q"], ["end": true],
            ]
        )
        #expect(cooked.code == 0 && cooked.isRestored, "\(cooked.json.text)")
        let stalled = try await Self.watch(
            "obd-remote",
            arguments,
            live + [["stall": true], ["signal": "SIGTERM"], ["exit": true]]
        )
        // EX_IOERR: the last frame could not be written.
        #expect(stalled.code == 74, "\(stalled.json.text)")
    }

    @Test("The broker is lost and comes back again and again: nothing stays bright, and the dashboard goes on")
    func losses() async throws {
        let broker = try await Broker()
        try await Self.publish(to: broker)
        let round: [JSON] = [
            ["say": "publish"], ["wait": "^Speed +81 km/h +█"], ["keep": "live"], ["say": "stop"],
            ["wait": "broker lost"], ["keep": "lost"], ["say": "start"], ["wait": "● broker "],
        ]
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let seen = try await Self.watch(
            "obd-remote",
            ["watch", "--broker", url, "--vehicle", "van"],
            [["wait": "● broker "]] + round + round + round + [["type": "q"], ["end": true]]
        ) { line in
            switch line {
            case "publish": try await Self.publish(to: broker)
            case "stop": try await broker.stop()
            default: try await broker.restart()
            }
        }
        #expect(seen.code == 0 && seen.isRestored, "\(seen.json.text)")
        let lost = seen.screen("lost")
        #expect(lost.contains { $0.hasPrefix("○ broker lost") && $0.contains("○ agent was online") }, "\(lost)")
        #expect(lost.contains { $0.hasPrefix("Speed") && $0.contains("last known") }, "\(lost)")
        #expect(!lost.joined().contains("█"))
    }

    @Test("Each key does on a terminal what the list of the keys says")
    func keys() async throws {
        let broker = try await Broker()
        try await Self.publish(to: broker)
        let parts = ["Gauges", "Values", "Codes", "Readiness", "Trip", "Events"]
        let headings = parts.map { part -> JSON in ["wait": .string("^\(part)( |$)")] }
        let numbers = headings.enumerated().flatMap { index, heading -> [JSON] in
            [["type": .string("\(index + 1)")], heading, ["keep": .string("\(index + 1)")]]
        }
        let tabs = headings.flatMap { heading -> [JSON] in [["type": "\t"], heading] }
        let gone: JSON = ["not": "^Events( |$)"]
        let back: [JSON] = [
            ["type": "\u{1B}[Z"], headings[5], ["type": "\u{1B}[D"], headings[4], ["type": "\u{1B}"],
            ["not": "^Trip( |$)"],
        ]
        let marks: [JSON] = [
            ["type": "u"], ["wait": "imperial units"], ["wait": "^Speed +50 mph"], ["type": "u"],
            ["wait": "^Speed +81 km/h"],
            ["type": "?"], ["wait": "^Keys( |$)"], ["type": "\u{1B}[F"], ["wait": "course of a value"], ["type": "x"],
            ["not": "^Keys( |$)"], ["type": "p"], ["wait": "> \\[x\\] Engine load"], ["type": " "],
            ["wait": "> \\[ \\]"], ["type": "p"],
            ["not": "Engine load"], ["resize": [40, 15]], ["wait": "^Gauges( |$)"], ["keep": "small"],
            ["resize": [200, 60]],
            ["wait": "0 all  1 gauges"], ["keep": "large"], ["type": "l"], ["wait": "keys$"],
        ]
        let load = #"{"value": 28, "unit": "%", "ecu": "7E8", "quality": "unsynchronised"}"#
        try await Publisher(broker).publish(load, to: "obd/van/parameters/engine_load", retain: true)
        let (start, all): ([JSON], [JSON]) = ([["wait": "^Speed +81 km/h"]], [["type": "0"], gone])
        let end: [JSON] = [["type": "q"], ["end": true]]
        let steps: [[JSON]] = [start, numbers, all, tabs, [["type": "\t"], gone], back, marks, end]
        let seen = try await Self.watch(
            "obd-remote",
            ["watch", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--vehicle", "van"],
            steps.flatMap(\.self)
        )
        #expect(seen.code == 0 && seen.isRestored, "\(seen.json.text)")
        #expect(seen.screen("small").allSatisfy { $0.count <= 40 } && seen.screen("small").count == 15)
        #expect(seen.screen("large").allSatisfy { $0.count <= 200 } && seen.screen("large").count == 60)
        for number in 1...6 { #expect(seen.screen("\(number)").contains { $0.contains("Lamp") }, "part \(number)") }
    }

    @Test("A closed terminal ends the program")
    func hangUp() async throws {
        let broker = try await Broker()
        try await Self.publish(to: broker)
        let url = "mqtt://127.0.0.1:\(broker.port)"
        let steps: [JSON] = [["wait": "^Speed"], ["hang_up": true]]
        let seen = try await Self.watch("obd-remote", ["watch", "--broker", url, "--vehicle", "van"], steps)
        // By the signal, or by the first look at the terminal after it.
        #expect([0, 141, 74].contains(seen.code), "\(seen.json.text)")
    }
}
