// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import JOSE
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Signed commands, sent with mosquitto_pub")
struct SignedCommandTests {
    private static func key(_ name: String, _ role: String) throws -> JSONWebKey {
        try JSONWebKey.generate(keyID: name, members: ["roles": [.string(role)]])
    }

    @Test("Who signs may do what the key's role is, and who does not, nothing; keys come and go without a restart")
    func roles() async throws {
        let specialist = try Self.key("ada", "specialist")
        let observer = try Self.key("eve", "observer")
        let next = try Self.key("ada-2", "specialist")
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--trip", "1", "--pause", "3600", "--codes", "P0301,P0420"])
            let keys = try bench.directory.write(Bench.trusting(specialist, observer), to: "keys.json")
            let agent = try bench.start(.init(adapter: car.address, unsignedRole: "none", trustedKeys: keys))
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"] == 0 }

            func reason(_ id: String, _ command: String, _ key: JSONWebKey?, _ vehicle: String = vin) async throws
                -> JSON
            {
                let command = CommandText(
                    id: id,
                    command: command,
                    arguments: command == "clear_codes" ? #"{"confirm": "all"}"# : nil,
                    vehicle: vehicle,
                    key: key
                )
                let response = try await bench.perform(command, on: vin)
                #expect(
                    response["issuer"]
                        == (response["reason"] == "bad_signature" ? .null : key?.keyID.map(JSON.string) ?? .null)
                )
                return response["reason"]
            }
            #expect(try await reason("1", "describe", nil) == "unsigned")
            #expect(try await reason("2", "describe", observer).isNull)
            #expect(try await reason("3", "clear_codes", observer) == "role_insufficient")
            #expect(try await reason("4", "clear_codes", specialist, "WVWZZZ1JZXW000001") == "wrong_vehicle")
            #expect(try await reason("5", "clear_codes", next) == "bad_signature")
            #expect(try await reason("6", "clear_codes", specialist).isNull)

            // The next key replaces the first; then the file is broken, and then repaired.
            _ = try bench.directory.write(Bench.trusting(next), to: "keys.json")
            #expect(try await reason("7", "describe", next).isNull)
            #expect(try await reason("8", "describe", specialist) == "bad_signature")
            _ = try bench.directory.write("{\"keys\": [", to: "keys.json")
            #expect(try await reason("9", "describe", next) == "bad_signature")
            _ = try bench.directory.write(Bench.trusting(specialist, next), to: "keys.json")
            #expect(try await reason("10", "describe", specialist).isNull)

            let before = try await bench.first("events", of: vin) { $0.json["event"] == "before_clear" }
            #expect(before.json["issuer"] == "ada" && before.json["command_id"] == "6")
        }
    }

    @Test("Without the keys that it is to trust the agent does not start, and says which file is wrong")
    func noKeys() async throws {
        try await Bench.run { bench in
            for content in [nil, "{}", "{\"keys\": [{\"kty\": \"EC\"}]}"] {
                if let content { _ = try bench.directory.write(content, to: "keys.json") }
                let path = "\(bench.directory.path)/keys.json"
                let agent = try bench.start(.init(adapter: "ble", trustedKeys: path))
                var errors: [String] = []
                for await line in agent.errors { errors.append(line) }
                #expect(try await agent.exitStatus() == .exited(78))
                #expect(errors.contains { $0.contains("[commands] trusted_keys: \(path): ") }, "\(errors)")
            }
        }
    }
}
