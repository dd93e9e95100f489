// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Configuration
import Contract

/// What a broker and a file say.
extension Fuzzer {
    /// The payload of a command.
    static func commands(_ input: [UInt8]) {
        _ = try? CommandDecoder.decode(input)
    }

    /// A configuration file.
    static func configuration(_ input: [UInt8]) {
        do {
            _ = try Configuration(toml: input, file: "agent.toml")
        } catch {
            // Every mistake can be told, on a line of its own.
            precondition(!error.problems.isEmpty)
            precondition(error.problems.allSatisfy { $0.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        }
    }

    /// Topics, filters and times, one on a line.
    static func payloads(_ input: [UInt8]) {
        for line in input.split(separator: 0x0A).prefix(64) {
            let text = String(decoding: line, as: UTF8.self)
            if let topic = try? Topic(text), let filter = try? TopicFilter(text) {
                _ = topic == topic && filter == filter
            }
            if let time = Timestamp(text) {
                precondition(Timestamp(time.description) == time, "\(text) is \(time)")
            }
        }
    }
}
