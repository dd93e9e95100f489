// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The highest value of a PID in the answers of all ECUs.
package struct HighestValue: Hashable, Sendable {
    /// The highest number, in the unit of the PID's first value; nil if no ECU reports a valid one.
    package let number: Double?
    /// Whether an ECU answers with something that is no valid number.
    package let hasInvalid: Bool

    /// - Parameters:
    ///   - answers: the messages of each ECU that answers positively.
    ///   - dialect: the dialect of the messages.
    package init(of pid: PID, in answers: some Sequence<[[UInt8]]>, _ dialect: Dialect = .j1979) {
        let request = Request.currentData(pid)
        var highest: Double?
        var hasInvalid = false
        for messages in answers {
            guard let parameter = Parameter.withPID(pid),
                let classic = try? messages.map({ try dialect.j1979Reply(from: $0, to: request) }),
                let reply = try? Reply(messages: classic, to: request), !parameter.isSentinel(reply.data),
                case .number(let number) = try? parameter.decode(reply.data).first?.value
            else {
                hasInvalid = true
                continue
            }
            highest = max(highest ?? number, number)
        }
        self.number = highest
        self.hasInvalid = hasInvalid
    }
}
