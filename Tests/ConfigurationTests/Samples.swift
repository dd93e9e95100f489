// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Configuration

/// The shortest valid file, in four lines; a test appends its text, which starts in line 5, in `[mqtt]`.
let shortest = """
    [adapter]
    address = "tcp:192.168.0.10:35000"
    [mqtt]
    url = "mqtts://broker.example"

    """

/// Reads `text` as `agent.toml`.
func configuration(_ text: String) throws(ConfigurationError) -> Configuration {
    try Configuration(toml: Array(text.utf8), file: "agent.toml")
}

/// Returns the problems of `text`, one per line; empty if it is valid.
func problems(_ text: String) -> String {
    do {
        _ = try configuration(text)
        return ""
    } catch {
        return error.description
    }
}

/// The path of the sample in `etc/`, as it is installed.
let samplePath =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/etc/obd-agent/agent.toml"

func sample() throws -> String {
    String(decoding: try SourceFile.contents(of: samplePath), as: UTF8.self)
}

/// Reproducible random numbers: SplitMix64, the same numbers for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var word = self.state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
