// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import FoundationEssentials
import TestSupport
import Testing

@Suite("The demo")
struct DemoTests {
    private static let script = "\(PythonTools.packageRoot)/scripts/demo"

    @Test("On a terminal it shows the dashboard, tells where the console is, and ends with what next")
    func terminal() async throws {
        let agent = try Program(builtHere: "obd-agent").path
        let typed: JSON = [["Enter shows", "\n"], ["Speed", "q"]]
        let lines = try await PythonTools().run(
            "typed_terminal",
            [typed.text, "env", "OBD_AGENT=\(agent)", Self.script]
        )
        let seen = try JSON(parsing: Array(lines.joined().utf8), depthLimit: 8)
        let screen = seen["screen"].string ?? ""
        #expect(seen["code"] == 0 && seen["restored"] == true, "\(screen)")
        #expect(screen.contains("The console") && screen.contains("==> what next"))
    }

    @Test("Into a pipe it prints a readable line for each message, and codes that are cleared")
    func clears() async throws {
        let agent = try Program(builtHere: "obd-agent").path
        let demo = try ChildProcess(
            Program(path: Self.script),
            ["30"],
            environment: ProcessInfo.processInfo.environment.merging(["OBD_AGENT": agent]) { $1 }
        )
        var lines: [String] = []
        for await line in demo.output { lines.append(line) }
        let status = try await within("the demo's end") { try await demo.exitStatus() }
        #expect(status == .exited(0), "\(lines.suffix(20).map { $0.prefix(200) })")
        #expect(lines.contains { $0.contains("the codes are cleared") })
        let messages = lines.filter { $0.hasPrefix("obd/") }
        #expect(messages.contains { $0.contains("/parameters/engine_speed ") && $0.hasSuffix(" rpm") })
        #expect(messages.contains { $0.contains("/codes ") && $0.hasSuffix(" P0301 P0420") })
        #expect(messages.allSatisfy { !$0.contains("{") }, "\(messages.filter { $0.contains("{") })")
    }
}
