// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The options of obd-remote capture")
struct CaptureOptionTests {
    @Test(
        "A mistake names the range, or the option that is missing",
        arguments: [
            (["--after", "-1"], "--after must be 0 to 120 seconds, not -1"),
            (["--after", "121"], "--after must be 0 to 120 seconds, not 121"),
            (
                ["--rule", "x", "--on", "mil_on", "--for", "1h", "--interval", "0"],
                "--interval must be 0.05 to 60 seconds"
            ),
            (
                ["--rule", "x", "--when", "a > 1", "--for", "1h", "--holds", "-0.5"],
                "--holds must be 0 to 3600 seconds"
            ),
            (["--rule", "x", "--on", "mil_on"], "--rule needs --for"),
        ]
    )
    func mistake(arguments: [String], message: String) async throws {
        let run = try await RemoteProgram(options: []).run("capture", arguments)
        #expect(run.status == .exited(64))
        #expect(run.notes.joined(separator: "\n").contains(message), "\(run.notes)")
    }
}
