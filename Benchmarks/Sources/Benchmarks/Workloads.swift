// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import OBD2

extension Workload {
    /// Everything that is measured.
    static let all: [Workload] = [Self.values, Self.replies]

    /// What a session decodes all day long: values of one, two and four bytes, and several in one reply.
    private static let data: [(Parameter, [UInt8])] = [
        ("0C", [0x1A, 0xF8]), ("0D", [0x42]), ("05", [0x7B]), ("04", [0x80]), ("06", [0x7F]), ("10", [0x02, 0x9A]),
        ("14", [0x5A, 0x80]), ("42", [0x36, 0xB0]), ("64", [0x7D, 0x80, 0x90, 0xA0, 0xB0]),
        ("66", [0x03, 0x01, 0x02, 0x03, 0x04]), ("A6", [0x00, 0x01, 0xE2, 0x40]),
    ].compactMap { name, bytes in Parameter.named(name).map { ($0, bytes) } }

    /// Numbers out of the data of replies.
    private static let values = Workload(
        name: "decode",
        unit: "parameter values",
        leastPerSecond: 5e6,
        leastPerStep: 0.02,
        // Not even one in a million values.
        mostAllocations: 1e-6
    ) { rounds in
        var count = 0
        var sum = 0.0
        for _ in 0..<rounds {
            for (parameter, bytes) in Self.data {
                try? parameter.decode(bytes.span) { value in
                    guard case .number(let number) = value.value else { return }
                    count += 1
                    sum += number
                }
            }
        }
        return sum == 0 ? 0 : count
    }

    /// An adapter's text, as it comes, made into a checked reply and its values.
    private static let replies = Workload(
        name: "reply",
        unit: "replies of two ECUs",
        leastPerSecond: 60_000,
        leastPerStep: 0.000_1,
        mostAllocations: 50
    ) { rounds in
        guard let parameter = Parameter.named("0C") else { return 0 }
        let request = BusRequest(payload: [0x01, 0x0C], echo: [0x0C], lengths: 4...4)
        let text = Array("7E804410C1AF8\r7E904410C1AF0\r\r>".utf8)
        var dialogue = Dialogue()
        var count = 0
        for _ in 0..<rounds {
            var exchange = Exchange(request, on: .can11at500)
            guard case .send(let command) = exchange.begin(), case .send = dialogue.submit(command),
                case .deliver(let outcome) = dialogue.bytesReceived(text),
                case .finished(let result) = exchange.stepEnded(outcome),
                case .answered(let answers) = result.outcome
            else { return 0 }
            for case .positive(let messages) in answers.values {
                guard let reply = try? Reply(messages: messages, to: .currentData(0x0C)) else { continue }
                try? parameter.decode(reply.data.span) { _ in count += 1 }
            }
        }
        return count / 2
    }
}
