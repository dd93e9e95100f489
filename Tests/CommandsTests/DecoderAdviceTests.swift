// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Testing

@testable import Commands

@Suite("What a refusal of arguments advises")
struct DecoderAdviceTests {
    private static let categories = ParameterCategory.allCases.filter { $0 != .other }.map(\.rawValue)
        .joined(separator: ", ")

    @Test(
        "A wrong element of an array is shown with its place, and a wrong name with the nearest one",
        arguments: [
            (
                "read_parameters", #"{"parameters": ["engine_oil_temperature"]}"#,
                #"parameters: "engine_oil_temperature" is no parameter. Try: oil_temperature"#
            ),
            (
                "read_parameters", #"{"parameters": ["hv_batery"]}"#,
                #"parameters: "hv_batery" is no parameter. Try: hv_battery"#
            ),
            (
                "read_parameters", #"{"parameters": ["slip"]}"#,
                "parameters: the agent computes slip, no ECU reports it. Try: select slip"
            ),
            (
                "raw_request", #"{"requests": ["0100", "01 0\""]}"#,
                #"requests[1]: expected 1 to 7 bytes as hexadecimal digits, such as "22F190"; found "01 0\"""#
            ),
            ("raw_request", #"{"requests": ["0100", 1]}"#, "requests[1]: expected a string; found 1"),
            (
                "select_parameters", #"{"set": {"category:warp": 1}}"#,
                #"set: "warp" is no category. Try: one of "# + Self.categories
            ),
            (
                "select_parameters", #"{"set": {"0C": 1}, "remove": ["engine_speed"]}"#,
                "remove: engine_speed is under set too. Try: remove it from one of them"
            ),
        ]
    )
    func advice(command: String, arguments: String, message: String) throws {
        let payload = """
            {"id": "a-1", "command": "\(command)", "issued_at": "2026-11-21T10:00:00Z", \
            "expires_at": "2026-11-21T10:05:00Z", "arguments": \(arguments)}
            """
        let known = KnownNames(custom: ["hv_battery"], derived: ["slip"])
        let error = #expect(throws: Refusal.self) { try CommandDecoder.decode(Array(payload.utf8), known: known) }
        #expect(error?.reason == .badArguments && error?.message == "$.arguments.\(message)", "\(error?.message ?? "")")
    }
}
