// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Commands
import Contract

/// Response topics, correlation data and keys of strangers.
extension Fuzzer {
    /// A text as a key, a name, a vehicle and a response topic: what is repeated of it is short, and the same bytes.
    static func strangers(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        for limit in [0, 1, 2, 3, 4, 16, 64, 300] {
            let part = text.prefix(bytes: limit)
            precondition(part.utf8.count <= limit && text.utf8.starts(with: part.utf8), "\(limit): \(text)")
            precondition(part.utf8.count == text.utf8.count || part.utf8.count > limit - 4, "\(limit): \(text)")
        }
        Self.repeated(text, input)
        let word = JSON.string(text).text
        let times = #""issued_at":"2026-11-21T10:00:00Z","expires_at":"2026-11-21T10:05:00Z""#
        for command in [
            text, #"{\#(word):1}"#, #"{"id":\#(word),"command":\#(word),"vehicle":\#(word)}"#,
            #"{"id":"1","command":"describe",\#(times),"vehicle":\#(word),"arguments":{\#(word):1}}"#,
            #"{"id":"1","command":"read_parameters",\#(times),"arguments":{"parameters":[\#(word)]}}"#,
            #"{"id":"1","command":"select_parameters",\#(times),"arguments":{"set":{\#(word):1}}}"#,
            #"{"id":"1","command":"clear_codes",\#(times),"arguments":{"confirm":[\#(word)]}}"#,
        ] {
            do throws(Refusal) {
                _ = try CommandDecoder.decode(Array(command.utf8))
            } catch {
                // The paths of the keys above it, and what is known there.
                precondition(error.message.utf8.count < 1000, error.message)
                precondition((error.command?.utf8.count ?? 0) <= 64 && (error.id?.utf8.count ?? 0) <= 64)
            }
        }
    }

    private static func repeated(_ text: String, _ input: [UInt8]) {
        let properties = Message.Properties(
            responseTopic: try? Topic(text),
            correlationData: input,
            contentType: text,
            userProperties: [.init(name: text, value: text)]
        )
        let echo = properties.echo
        precondition(echo.contentType == nil && echo.userProperties.isEmpty)
        precondition(echo.correlationData == (input.count <= Message.Properties.echoLimit ? input : nil))
        if let topic = echo.responseTopic {
            precondition(topic.description.utf8.elementsEqual(text.utf8) && text.utf8.count <= 256)
        }
    }
}
