// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import OBD2
import TestSupport
import Testing

@Suite("What others wrote")
struct ThirdPartyTests {
    @Test("Values of ELM327-emulator are there within 5 seconds, and are those in its log", arguments: [false, true])
    func emulatedValues(onTerminal: Bool) async throws {
        try await Bench.run(weight: 4) { bench in
            let car = try await EmulatedCar(onTerminal: onTerminal)
            let parameters = ["engine_speed", "vehicle_speed", "coolant_temperature", "engine_load", "fuel_level"]
            let start = ContinuousClock.now
            let agent = try bench.start(
                .init(adapter: car.address, vehicle: "emulated", parameters: parameters.map { "\($0) = 0.2" })
            )
            let first = try await bench.first("parameters/engine_speed", of: "emulated")
            #expect(first.arrival - start < .seconds(5))
            _ = try await bench.first("telemetry", of: "emulated") { ($0.json["seq"].double ?? 0) >= 3 }
            let vehicle = try await bench.first("vehicle", of: "emulated")
            #expect(vehicle.json["vin"].string?.count == 17)
            agent.signal()
            let status = try await agent.exitStatus()
            #expect(status == .exited(0))
            _ = try await bench.first("availability", of: "emulated") { $0.text == "offline" }

            let log = EmulatorLog(await car.stop())
            let published = await bench.observer.messages.filter { $0.topic == "obd/emulated/telemetry" }.map(\.json)
            for (name, pid, formula) in EmulatorLog.formulas where parameters.contains(name) {
                let logged = log.values(pid, formula)
                let values = published.flatMap { Self.values($0["series"][name]) }
                #expect(values.count > 3, "\(name)")
                // The trials of the adapter also request engine and vehicle speed. Those answers are no samples.
                #expect(values.count >= logged.count - 4, "\(name)")
                #expect(Self.isPart(values, of: logged), "\(name): \(values), logged \(logged)")
            }
            for message in await bench.observer.messages where message.topic.hasPrefix("obd/emulated/parameters/") {
                let name = message.topic.split(separator: "/")[3]
                // Values of the adapter itself are no answers to a PID.
                if SupplyValue(rawValue: String(name)) != nil { continue }
                let (_, pid, formula) = try #require(EmulatorLog.formulas.first { $0.name == name })
                let value = try #require(message.json["value"].double)
                let ecu = try #require(message.json["ecu"].string)
                #expect(log.values(pid, ecu: ecu, formula).contains { abs($0 - value) < 1e-5 }, "\(name) \(value)")
            }
        }
    }

    /// Whether `logged` has all `values` in this order.
    private static func isPart(_ values: [Double], of logged: [Double]) -> Bool {
        var rest = logged[...]
        return values.allSatisfy { value in
            rest = rest.drop { abs($0 - value) >= 1e-6 }
            return rest.popFirst() != nil
        }
    }

    private static func values(_ series: JSON) -> [Double] {
        var sum = 0.0
        return series["dv"].elements.compactMap(\.double).map { step in
            sum += step
            return sum * (series["scale"].double ?? .nan)
        }
    }

    @Test("Codes of ELM327-emulator are read, and cleared where it stands")
    func emulatedCodes() async throws {
        try await Bench.run { bench in
            let car = try await EmulatedCar(codes: "02,01,43,01,96", isStanding: true)
            let agent = try bench.start(.init(adapter: car.address, vehicle: "emulated"))
            defer { agent.signal() }
            let codes = try await bench.first("codes", of: "emulated")
            #expect(codes.json["known"] == true && codes.json["mil"] == true)
            #expect(codes.json["codes"].elements.map { $0["code"] } == ["P0143", "P0196"])
            let clear = try await bench.perform(
                CommandText(id: "clear", command: "clear_codes", arguments: "{\"confirm\": [\"P0143\", \"P0196\"]}"),
                on: "emulated"
            )
            #expect(clear["state"] == "succeeded")
            #expect(clear["result"]["codes_after"] == [])
            _ = try await bench.first("codes", of: "emulated") { $0.json["codes"] == [] && $0.json["known"] == true }
            let written = await car.stop()
            #expect(written.contains { $0.contains("7E80144") })
        }
    }

    @Test("A list of codes without its count is unknown, not empty")
    func malformedCodes() async throws {
        try await Bench.run { bench in
            let car = try await EmulatedCar(codes: "0143,0196")
            let agent = try bench.start(.init(adapter: car.address, vehicle: "emulated"))
            defer { agent.signal() }
            let codes = try await bench.first("codes", of: "emulated")
            #expect(codes.json["known"] == false)
            #expect(codes.json["codes"] == [])
            #expect(codes.json["unread"].elements.contains("stored"))
        }
    }

    @Test("With its engine off ELM327-emulator has no vehicle, and so there are no values and no clear")
    func engineOff() async throws {
        try await Bench.run { bench in
            let car = try await EmulatedCar(scenario: "engineoff")
            let agent = try bench.start(.init(adapter: car.address, vehicle: "emulated"))
            defer { agent.signal() }
            let status = try await bench.first("status", of: "emulated") { $0.json["link"] == "waiting" }
            #expect(status.json["vehicle_confirmed"] == false)
            #expect(status.json["problem"].string?.contains("ignition") == true)
            let clear = try await bench.perform(
                CommandText(id: "clear", command: "clear_codes", arguments: "{\"confirm\": \"all\"}"),
                on: "emulated"
            )
            #expect(clear["state"] == "refused" && clear["reason"] == "not_connected")
            let topics = await bench.observer.messages.map(\.topic)
            #expect(!topics.contains { $0.contains("/parameters/") || $0.hasSuffix("/codes") })
        }
    }

    @Test("All scenarios of ELM327-emulator are read to the end, and without a vehicle that is said")
    func emulatedScenarios() async throws {
        try await Places.shared.whileTaking(1) {
            let scenarios = try await PythonTools().run("emulated_car", ["--list"])
            #expect(Set(scenarios).isSuperset(of: ["car", "default", "engineoff", "mt05"]))
            for scenario in scenarios {
                let car = try await EmulatedCar(scenario: scenario)
                let arguments = ["read", "--adapter", car.address, "--json"]
                let agent = try Program(builtHere: "obd-agent")
                guard scenario != "engineoff" else {
                    await #expect(throws: ProgramFailed.self) { try await agent.run(arguments) }
                    continue
                }
                let json = JSON(parsing: Array(try await agent.run(arguments).joined(separator: "\n").utf8))
                let log = EmulatorLog(await car.stop())
                #expect(!json["values"].elements.isEmpty, "\(scenario)")
                for value in json["values"].elements {
                    guard let name = value["parameter"].string, let ecu = value["ecu"].string,
                        let (_, pid, formula) = EmulatorLog.formulas.first(where: { $0.name == name })
                    else { continue }
                    let number = try #require(value["value"].double)
                    let isTrue = log.values(pid, ecu: ecu, formula).contains { abs($0 - number) < 1e-5 }
                    #expect(isTrue, "\(scenario): \(name) \(number)")
                }
            }
        }
    }

    @Test(
        "python-OBD reads of the simulated car what obd-agent reads, on every bus",
        arguments: [("6", true)] + (1...9).map { ("\($0)", false) }
    )
    func pythonOBD(bus: String, onTerminal: Bool) async throws {
        try await Places.shared.whileTaking(1) {
            let arguments = [
                "--trip", "1", "--pause", "3600", "--codes", "P0301,P0420", "--pending", "P0171", "--protocol", bus,
            ]
            let car = try await SimulatedCar(arguments, onTerminal: onTerminal)
            let before = try await Self.read(car)
            let port = onTerminal ? String(car.address.dropFirst("serial:".count)) : "socket://127.0.0.1:\(car.port)"
            let output = try await PythonTools().run("read_with_python_obd", [port])
            let theirs = JSON(parsing: Array((output.last ?? "").utf8))
            let after = try await Self.read(car)

            #expect(theirs["vin"] == before["vin"])
            #expect(theirs["protocol"] == before["protocol"])
            #expect(theirs["stored"] == ["P0301", "P0420"])
            // On the older buses, python-OBD 0.7.3 takes the first byte of the first code for the count of CAN.
            if bus >= "6" { #expect(theirs["pending"] == ["P0171"]) }
            #expect(theirs["mil"] == true)
            #expect(theirs["values"].members.count >= 10)
            for (name, value) in theirs["values"].members {
                let ours = [before, after].compactMap { Self.value(name, in: $0) }
                let (low, high, value) = (ours.min(), ours.max(), value.double)
                // Values drift while the car stands. Each must be between the readings before and after, with slack.
                let slack = max(0.5, (high ?? 0).magnitude * 0.02)
                #expect(ours.count == 2, "\(name)")
                #expect(
                    (value ?? .nan) >= (low ?? .nan) - slack && (value ?? .nan) <= (high ?? .nan) + slack,
                    "\(name)"
                )
            }
        }
    }

    private static func read(_ car: SimulatedCar) async throws -> JSON {
        let lines = try await Program(builtHere: "obd-agent").run(["read", "--adapter", car.address, "--json"])
        return JSON(parsing: Array(lines.joined(separator: "\n").utf8))
    }

    private static func value(_ name: String, in reading: JSON) -> Double? {
        let engine: [JSON] = ["7E8", "18DAF110", "10"]
        return reading["values"].elements.first { $0["parameter"].string == name && engine.contains($0["ecu"]) }?[
            "value"
        ]
        .double
    }
}

/// The replies in the log of ELM327-emulator.
struct EmulatorLog {
    typealias Formula = @Sendable ([UInt8]) -> Double
    /// The formulas of SAE J1979, written by hand and not taken from the tested code.
    static let formulas: [(name: String, pid: UInt8, formula: Formula)] = [
        ("engine_load", 0x04, { Double($0[0]) * 100 / 255 }),
        ("coolant_temperature", 0x05, { Double($0[0]) - 40 }),
        ("engine_speed", 0x0C, { (Double($0[0]) * 256 + Double($0[1])) / 4 }),
        ("vehicle_speed", 0x0D, { Double($0[0]) }),
        ("fuel_level", 0x2F, { Double($0[0]) * 100 / 255 }),
    ]

    /// The numbers of data bytes of the PIDs that the agent requests in one message with those of ``formulas``.
    private static let lengths: [UInt8: Int] = [
        0x01: 4, 0x04: 1, 0x05: 1, 0x0C: 2, 0x0D: 1, 0x10: 2, 0x1F: 2, 0x2F: 1, 0x41: 4, 0x44: 2, 0x51: 1, 0x5B: 1,
        0x5E: 2, 0xA6: 4,
    ]

    private let frames: [String]

    /// - Parameter lines: the lines of the log, such as `Write: '7E804410C145F\r\r>'`.
    init(_ lines: [String]) {
        self.frames = lines.flatMap { $0.dropFirst("Write: '".count).split { "\\r'>".contains($0) }.map(String.init) }
    }

    /// Returns the messages of an ECU, such as `7E8`; a message may have several frames (ISO 15765-2).
    private func messages(of ecu: String) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = 0
        for frame in self.frames where frame.hasPrefix(ecu) {
            let bytes = [UInt8](hexadecimal: frame.dropFirst(3)) ?? []
            guard let first = bytes.first else { continue }
            switch first >> 4 {
            case 0 where bytes.count == Int(first) + 1:
                messages.append(Array(bytes.dropFirst()))
                rest = 0
            case 1 where bytes.count == 8:
                messages.append(Array(bytes.dropFirst(2)))
                rest = Int(first & 0x0F) << 8 + Int(bytes[1]) - 6
            case 2 where rest > 0:
                messages[messages.count - 1] += bytes.dropFirst().prefix(rest)
                rest -= 7
            default: rest = 0
            }
        }
        return messages
    }

    /// Returns the values of a PID in replies of service 01: 41, then each PID with its data.
    func values(_ pid: UInt8, ecu: String = "7E8", _ formula: Formula) -> [Double] {
        self.messages(of: ecu).compactMap { message in
            guard message.first == 0x41 else { return nil }
            var data = message.dropFirst()
            while let next = data.popFirst(), let length = Self.lengths[next] {
                let value = Array(data.prefix(length))
                data = data.dropFirst(length)
                if next == pid, value.count == length { return formula(value) }
            }
            return nil
        }
    }
}
