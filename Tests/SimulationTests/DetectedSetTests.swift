// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import OBD2
import TestSupport
import Testing

@testable import Simulator

/// Tests in which the agent detects the model of each vehicle, as `[parameters] sets = "detect"` orders.
@Suite("The signal set of a detected model", .timeLimit(.minutes(10)))
struct DetectedSetTests {
    // The first three characters of a VIN identify the make; the third VIN has no known make.
    private static let kia = "KNDSMVLA7R4700893"
    private static let hyundai = "KMHSMVLA4R4700894"
    private static let unknown = "ZZZSMVLATR4700893"

    /// Returns a set of requests of service 22 with one signal each, such as `alpha_1`.
    private static func set(_ name: String, _ identifiers: ClosedRange<Int>) -> String {
        let commands = identifiers.map { identifier in
            let data = String(identifier, radix: 16, uppercase: true)
            return """
                {"hdr": "7E4", "rax": "7EC", "cmd": {"22": "\(data)"}, "freq": 5, "signals": [\
                {"id": "\(name)_\(identifier - identifiers.lowerBound + 1)", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}]}
                """
        }
        return "{\"commands\": [\(commands.joined(separator: ", "))]}"
    }

    /// Returns a catalog in which both makes have two models; the vehicles answer the first model of each make.
    private static func catalog() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write(Self.set("ALPHA", 0xB001...0xB005), to: "Kia-Alpha.json")
        try directory.write(Self.set("BETA", 0xB003...0xB009), to: "Kia-Beta.json")
        try directory.write(Self.set("GAMMA", 0xB101...0xB105), to: "Hyundai-Gamma.json")
        try directory.write(Self.set("DELTA", 0xB103...0xB109), to: "Hyundai-Delta.json")
        // No vehicle answers the requests of this set.
        try directory.write(Self.set("OMEGA", 0xB201...0xB205), to: "Audi-Omega.json")
        return directory
    }

    private static func settings(_ catalog: String, vin: String = Self.kia) -> World.Settings {
        var settings = World.Settings()
        settings.parameters = "sets = \"detect\"\ncatalog = \"\(catalog)\""
        settings.commands = ["detect_parameters"]
        let answers = [0x01...0x05, 0x11...0x15].flatMap { $0 }.map { number -> SideECU.Answer in
            let identifier = number < 0x10 ? [0xB0, UInt8(number)] : [0xB1, UInt8(number - 0x10)]
            return SideECU.Answer([0x22] + identifier, length: 1)
        }
        let usual = VehicleModel.combustion
        settings.vehicle.model = VehicleModel(
            name: "with-a-set",
            summary: "a vehicle whose ECU answers requests of a maker",
            powertrain: usual.powertrain,
            bus: usual.bus,
            ecus: usual.ecus,
            services: nil,
            sideECUs: [
                SideECU(
                    name: "battery",
                    standard: SideECU.Address(request: 0x7E4, reply: 0x7EC),
                    extended: nil,
                    answers: answers
                )
            ],
            battery: nil
        )
        settings.vehicle.vin = vin
        return settings
    }

    /// Returns the signal set and the selected parameters in `vehicle`, without the standard parameters.
    private static func polled(_ world: World, _ vin: String) throws -> (set: JSON, names: [String]) {
        let text = try #require(world.broker.retained("obd/\(vin)/vehicle"))
        let json = JSON(payload: Array(text.utf8))
        let names = json["selected"].members.map(\.key).filter { Parameter.named($0) == nil }
        return (json["signal_set"], names)
    }

    /// Returns the number of detection requests, counted by identifiers that no polled set has.
    private static func probes(_ world: World, _ vin: String) -> Int {
        ["22B006", "22B007", "22B008", "22B009", "22B106", "22B107", "22B108", "22B109"]
            .reduce(0) { $0 + world.lines($1, to: vin) }
    }

    @Test("Each vehicle is asked once, its set is polled also after a restart, and no vehicle gets another's requests")
    func once() async throws {
        let catalog = try Self.catalog()
        let (verdict, _) = try await World.run(Self.settings(catalog.path)) { world in
            try await world.start()
            await world.run(for: .seconds(120))
            let first = try Self.polled(world, Self.kia)
            #expect(first.set["name"] == "Kia Alpha" && first.set["share"].double.map { $0 > 0.5 } == true)
            #expect(first.set["detected"].string != nil)
            #expect(first.names == (1...5).map { "alpha_\($0)" })
            let probes = Self.probes(world, Self.kia)
            #expect(probes > 0 && world.lines("22B001", to: Self.kia) > 10)
            #expect(world.broker.retained("obd/\(Self.kia)/parameters/alpha_1") != nil)

            await world.stop()
            try await world.start()
            let polls = world.lines("22B001", to: Self.kia)
            await world.run(for: .seconds(120))
            #expect(try Self.polled(world, Self.kia).names == first.names)
            #expect(try Self.polled(world, Self.kia).set == first.set)
            #expect(world.lines("22B001", to: Self.kia) > polls + 10)
            #expect(Self.probes(world, Self.kia) == probes)

            world.swapVehicle(vin: Self.hyundai)
            await world.run(for: .seconds(180))
            let second = try Self.polled(world, Self.hyundai)
            #expect(second.set["name"] == "Hyundai Gamma" && second.names == (1...5).map { "gamma_\($0)" })
            #expect(world.lines("22B0", to: Self.hyundai) == 0)
            #expect(world.lines("22B1", to: Self.kia) == 0)
            #expect(!world.broker.topics.contains("obd/\(Self.hyundai)/parameters/alpha_1"))

            world.swapVehicle(vin: Self.kia)
            await world.run(for: .seconds(180))
            #expect(try Self.polled(world, Self.kia).names == first.names)
            #expect(Self.probes(world, Self.kia) == probes)
            // The adapter stays on, so one request may be on its way before the agent notices the swap.
            #expect(world.lines("22B1", to: Self.kia) <= 1)
        }
        #expect(verdict.mistakes.isEmpty, "\(verdict)")
    }

    @Test("A vehicle without a known make is not asked, until a command names the make")
    func command() async throws {
        let catalog = try Self.catalog()
        _ = try await World.run(Self.settings(catalog.path, vin: Self.unknown)) { world in
            try await world.start()
            await world.run(for: .seconds(120))
            #expect(world.lines("22B", to: Self.unknown) == 0)
            #expect(try Self.polled(world, Self.unknown).set == .null)
            world.broker.send(try world.command("d-1", "detect_parameters", #"{"make": "Kia"}"#))
            await world.run(for: .seconds(120))
            let found = try Self.polled(world, Self.unknown)
            #expect(found.set["name"] == "Kia Alpha" && found.names.count == 5)
            func result(_ id: String) -> JSON? {
                world.ledger.records("responses").last { $0["id"] == .string(id) }?["result"]
            }
            #expect(result("d-1")?["signal_set"] == "Kia Alpha" && result("d-1")?["best"] == ["Kia Alpha"])
            // A detection without a result keeps the previous set.
            world.broker.send(try world.command("d-2", "detect_parameters", #"{"make": "Audi"}"#))
            await world.run(for: .seconds(120))
            #expect(world.lines("22B2", to: Self.unknown) > 0)
            #expect(try Self.polled(world, Self.unknown).set["name"] == "Kia Alpha")
            #expect(result("d-2")?["signal_set"] == "Kia Alpha" && result("d-2")?["best"] == [])
        }
    }

    @Test("Of models that cannot be told apart none is polled, and a new catalog is reason to ask again")
    func tie() async throws {
        let catalog = try Self.catalog()
        try catalog.write(Self.set("ALPHA", 0xB001...0xB005), to: "Kia-Twin.json")
        _ = try await World.run(Self.settings(catalog.path)) { world in
            try await world.start()
            await world.run(for: .seconds(120))
            let asked = world.lines("22B0", to: Self.kia)
            #expect(asked > 0)
            #expect(try Self.polled(world, Self.kia).set == .null)
            await world.stop()
            try await world.start()
            await world.run(for: .seconds(120))
            #expect(world.lines("22B0", to: Self.kia) == asked)
            await world.stop()
            TextFile.remove("\(catalog.path)/Kia-Twin.json")
            try await world.start()
            await world.run(for: .seconds(120))
            #expect(try Self.polled(world, Self.kia).set["name"] == "Kia Alpha")
        }
    }
}
