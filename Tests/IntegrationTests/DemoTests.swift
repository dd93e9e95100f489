// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing

@Suite("The demo")
struct DemoTests {
    @Test("It shows a vehicle, and codes that are cleared")
    func clears() async throws {
        let script = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/scripts/demo"
        let agent = try Program(builtHere: "obd-agent").path
        let demo = try ChildProcess(
            Program(path: script),
            ["30"],
            environment: ProcessInfo.processInfo.environment.merging(["OBD_AGENT": agent]) { $1 }
        )
        var lines: [String] = []
        for await line in demo.output { lines.append(line) }
        let status = try await within("the demo's end") { try await demo.exitStatus() }
        #expect(status == .exited(0), "\(lines.suffix(20).map { $0.prefix(200) })")
        #expect(lines.contains { $0.contains("the codes are cleared") })
        #expect(lines.contains { $0.hasPrefix("obd/") && $0.contains("/parameters/engine_speed ") })
    }
}
