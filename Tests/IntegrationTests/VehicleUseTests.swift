// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import TestSupport
import Testing

@testable import obd_agent

@Suite("Whether a vehicle is in use, at the vehicle", .timeLimit(.minutes(2)))
struct VehicleUseTests {
    @Test("An engine, a speed or an enabled drive shows use, whatever the user says", arguments: [false, true])
    func inUse(isSaidToBeOn: Bool) {
        for use in [
            VehicleUse(engineSpeed: 800, vehicleSpeed: 0), VehicleUse(engineSpeed: 0, vehicleSpeed: 30),
            VehicleUse(engineSpeed: 0, ready: ["hv_ready": true]),
            VehicleUse(ready: ["front_ready": false, "rear_ready": true]),
        ] {
            #expect(use.obstacle(isSaidToBeOn: isSaidToBeOn) == nil)
        }
    }

    @Test("Without a sign of use the user's word counts")
    func word() {
        for use in [VehicleUse(engineSpeed: 0, vehicleSpeed: 0), VehicleUse()] {
            #expect(use.obstacle(isSaidToBeOn: true) == nil)
            let obstacle = use.obstacle(isSaidToBeOn: false)?.description
            #expect(obstacle?.contains("an electric vehicle or a hybrid on, and add --vehicle-is-on") == true)
        }
    }

    @Test("The user's word does not count against the vehicle's own")
    func off() {
        let use = VehicleUse(engineSpeed: 0, vehicleSpeed: 0, ready: ["hv_ready": false])
        #expect(use.obstacle(isSaidToBeOn: true)?.description.contains("the drive is off, says hv_ready") == true)
    }

    /// A signal set with requests that the simulated plug-in hybrid answers.
    private static func catalog() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let commands = ["DDBC", "DD68"].map {
            """
            {"hdr": "6F1", "rax": "607", "eax": "07", "fcm1": true, "cmd": {"22": "\($0)"}, "freq": 5,
             "signals": [{"id": "S_\($0)", "name": "S", "fmt": {"bix": 0, "len": 8, "max": 255, "unit": "percent"}}]}
            """
        }
        try directory.write(#"{"commands": ["# + commands.joined(separator: ",") + "]}", to: "BMW-Test.json")
        return directory
    }

    /// Runs a detection; returns its exit status, its result and its messages.
    private static func detect(
        _ car: SimulatedCar,
        _ options: [String]
    ) async throws -> (status: ChildProcess.ExitStatus, output: [String], errors: String) {
        let catalog = try Self.catalog()
        let child = try ChildProcess(
            try Program(builtHere: "obd-agent"),
            [
                "parameters", "detect", "--adapter", car.address, "--protocol", "can-11-500", "--catalog",
                catalog.path, "--make", "BMW",
            ] + options
        )
        return try await within("parameters detect") {
            async let errors = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return (try await child.exitStatus(), output, await errors.joined(separator: "\n"))
        }
    }

    @Test("A hybrid whose ECUs do not show that it is one is asked on the user's word")
    func plugIn() async throws {
        // After its first second it stands for an hour.
        let car = try await SimulatedCar(["--vehicle", "plug-in", "--trip", "1", "--pause", "3600"])
        var refused = try await Self.detect(car, [])
        while refused.status == .exited(0) { refused = try await Self.detect(car, []) }
        #expect(refused.errors.contains("the engine is off") && refused.errors.contains("--vehicle-is-on"))
        let asked = try await Self.detect(car, ["--vehicle-is-on"])
        #expect(asked.output.contains { $0.hasPrefix("BMW Test") && $0.hasSuffix("100 %") }, "\(asked)")
    }

    @Test("A vehicle that answers no request is a failure, as JSON too", arguments: [[], ["--json"]])
    func nothing(format: [String]) async throws {
        let car = try await SimulatedCar(["--vehicle", "electric"])
        let result = try await Self.detect(car, ["--vehicle-is-on"] + format)
        #expect(result.status == .exited(3), "\(result)")
        #expect(result.errors.contains("the vehicle answered none of") && result.errors.contains("Try: "))
        #expect(result.output.isEmpty == format.isEmpty)
    }
}
