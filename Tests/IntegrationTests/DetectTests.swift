// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The model is detected at the vehicle", .timeLimit(.minutes(2)))
struct DetectTests {
    private static func command(_ header: String, _ receiver: String, _ service: String, _ data: String) -> String {
        """
        {"hdr": "\(header)", "rax": "\(receiver)", "fcm1": true, "cmd": {"\(service)": "\(data)"}, "freq": 5, "signals": [
          {"id": "S_\(header)_\(data)", "name": "S", "fmt": {"bix": 0, "len": 8, "max": 255, "unit": "percent"}}]}
        """
    }

    /// Returns a catalog with the requests of the simulated Leaf, and with a model whose requests no ECU answers.
    private static func catalog() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let leaf = [
            Self.command("79B", "7BB", "21", "01"), Self.command("79B", "7BB", "21", "61"),
            Self.command("797", "79A", "22", "1103"), Self.command("797", "79A", "22", "1146"),
        ]
        let other = (0..<6).flatMap { ecu in
            (0..<4).map { Self.command("71\(ecu)", "77\(ecu)", "22", "010\($0)") }
        }
        try directory.write(#"{"commands": ["# + leaf.joined(separator: ",") + "]}", to: "Nissan-Leaf.json")
        try directory.write(#"{"commands": ["# + other.joined(separator: ",") + "]}", to: "Nissan-Other.json")
        return directory
    }

    @Test("A vehicle that answers no standard request is found by the requests of its make, and its model is named")
    func withoutStandardServices() async throws {
        let car = try await SimulatedCar(["--vehicle", "electric-leaf"])
        let catalog = try Self.catalog()
        let arguments = [
            "parameters", "detect", "--adapter", car.address, "--protocol", "can-11-500", "--catalog", catalog.path,
            "--vehicle-is-on",
        ]
        let lines = try await Program(builtHere: "obd-agent").run(arguments + ["--make", "Nissan"])
        #expect(lines.contains { $0.hasPrefix("Nissan Leaf") && $0.hasSuffix("100 %") }, "\(lines)")
        // Without a make there is no request to send.
        let error = await #expect(throws: ProgramFailed.self) {
            try await Program(builtHere: "obd-agent").run(arguments)
        }
        #expect("\(try #require(error))".contains("read-electric-car"))
    }
}
