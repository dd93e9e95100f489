// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// A command `resend` to an agent.
package struct ResendRequest: Hashable, Sendable {
    /// The name of the command.
    package static let command = "resend"

    /// The unique id of the command.
    package var id: String
    /// The topic level of the agent's present vehicle, to whose topic the command goes.
    package var vehicle: String
    /// The stream whose records are wanted.
    package var key: StreamKey
    package var range: ResendArguments

    /// The arguments of the command.
    package var arguments: [String: JSON] { self.range.arguments }
}

extension NumberSet {
    /// The largest number of known numbers that a request takes in, to spare another request.
    private static let bridge: UInt64 = 4

    /// Returns ranges of at most ``ResendRequest/limit`` numbers that cover the set.
    func requests(atMost count: Int) -> [ClosedRange<UInt64>] {
        var requests: [ClosedRange<UInt64>] = []
        for range in self.ranges {
            var next = range.lowerBound
            if let last = requests.last, next - last.upperBound - 1 <= Self.bridge,
                next - last.lowerBound < ResendArguments.limit
            {
                let end = min(range.upperBound, Self.end(from: last.lowerBound))
                requests[requests.count - 1] = last.lowerBound...end
                guard end < range.upperBound else { continue }
                next = end + 1
            }
            while requests.count < count {
                let end = min(range.upperBound, Self.end(from: next))
                requests.append(next...end)
                guard end < range.upperBound else { break }
                next = end + 1
            }
            if requests.count >= count { break }
        }
        return requests
    }

    /// Returns the last number of the largest request from a number on.
    private static func end(from first: UInt64) -> UInt64 {
        let (end, overflow) = first.addingReportingOverflow(ResendArguments.limit - 1)
        return overflow ? .max : end
    }
}
