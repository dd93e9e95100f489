// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Against the simulated vehicle")
struct SimulatedCarTests {
    static let vehicles: [(bus: String, title: String, onTerminal: Bool)] = [
        ("can-11-500", "ISO 15765-4 (CAN 11/500)", false),
        ("can-11-500", "ISO 15765-4 (CAN 11/500)", true),
        ("kwp-fast", "ISO 14230-4 (KWP FAST)", false),
        ("j1850-vpw", "SAE J1850 VPW", false),
    ]

    @Test("A vehicle shows up under its VIN with all that it tells", arguments: vehicles)
    func everythingShowsUp(bus: String, title: String, onTerminal: Bool) async throws {
        try await Bench.run { bench in
            let arguments = ["--protocol", bus, "--codes", "P0301,P0420", "--pending", "P0171", "--permanent", "P0420"]
            let car = try await SimulatedCar(arguments, onTerminal: onTerminal)
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }

            let online = try await bench.first("availability", of: vin) { $0.text == "online" }
            #expect(online.retain && online.qos == 1)
            let vehicle = try await bench.first("vehicle", of: vin) {
                !$0.json["ecus"].elements.contains { $0["name"].isNull }
            }
            #expect(vehicle.retain && vehicle.qos == 1)
            #expect(vehicle.json["vin"] == .string(vin))
            #expect(vehicle.json["protocol"] == .string(title))
            #expect(vehicle.json["ecus"].elements.count == 2)
            let status = try await bench.first("status", of: vin) { $0.json["link"] == "connected" }
            #expect(status.retain && status.qos == 1)
            #expect(status.json["vehicle_confirmed"] == true)
            #expect(status.json["adapter"]["address"] == .string(car.address))

            let codes = try await bench.first("codes", of: vin)
            #expect(codes.retain && codes.qos == 1)
            #expect(codes.json["known"] == true)
            #expect(codes.json["mil"] == true)
            let states = codes.json["codes"].elements.reduce(into: [String: JSON]()) {
                $0[$1["code"].string ?? ""] = $1["states"]
            }
            // Service 0A exists only on CAN.
            let lasting: JSON = bus.hasPrefix("can") ? ["stored", "permanent"] : ["stored"]
            #expect(states == ["P0301": ["stored"], "P0420": lasting, "P0171": ["pending"]])
            let misfire = codes.json["codes"].elements.first { $0["code"] == "P0301" }
            #expect(misfire?["description"] == "Misfire in cylinder 1")
            #expect(misfire?["category"] == "powertrain" && misfire?["group"] == "ignition")
            let monitors = try await bench.first("monitors", of: vin)
            #expect(monitors.retain && monitors.qos == 1)
            #expect(monitors.json["code_count"] == 2)

            let speed = try await bench.first("parameters/engine_speed", of: vin) {
                ($0.json["value"].double ?? 0) > 500
            }
            #expect(speed.retain && speed.qos <= 1)
            #expect(speed.json["unit"] == "rpm")
            #expect(speed.json["quality"] == "good")
            let telemetry = try await bench.first("telemetry", of: vin)
            #expect(!telemetry.retain && telemetry.qos == 1)
            #expect(telemetry.json["seq"] == 1)
            let event = try await bench.first("events", of: vin) { $0.json["event"] == "vehicle_identified" }
            #expect(!event.retain && event.qos == 1)
            #expect(event.json["vin"] == .string(vin))
        }
    }

    @Test(
        "Vehicles of other dialects show up with the same names, and their codes with their own details",
        arguments: [
            (["--dialect", "uds", "--codes", "P0301-1F"], "j1979_2", "P0301-1F", "failure_type", .string("1F")),
            (
                ["--protocol", "j1939", "--codes", "SPN110-FMI0,SPN100-FMI1"], "j1939", "SPN110-FMI0", "spn",
                .integer(110)
            ),
        ] as [([String], String, String, String, JSON)]
    )
    func otherDialects(arguments: [String], dialect: String, code: String, key: String, detail: JSON) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(arguments)
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            let vehicle = try await bench.first("vehicle", of: vin)
            #expect(vehicle.json["dialect"] == .string(dialect))
            let status = try await bench.first("status", of: vin) { $0.json["link"] == "connected" }
            #expect(status.json["dialect"] == .string(dialect))
            let codes = try await bench.first("codes", of: vin)
            #expect(codes.json["known"] == true && codes.json["mil"] == true)
            let found = codes.json["codes"].elements.first { $0["code"] == .string(code) }
            #expect(found?[key] == detail)
            let speed = try await bench.first("parameters/engine_speed", of: vin) {
                ($0.json["value"].double ?? 0) > 500
            }
            #expect(speed.json["unit"] == "rpm" && speed.json["quality"] == "good")
        }
    }
}
