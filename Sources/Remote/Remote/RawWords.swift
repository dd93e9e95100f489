// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

/// The arguments of a raw request as a user writes them.
package enum RawWords {
    /// Throws if the agent would refuse the requests whatever its configuration.
    ///
    /// - Parameter hold: the seconds for which polling is suspended.
    package static func check(_ requests: [String], ecu: String?, hold: Double?) throws(ArgumentProblem) {
        guard requests.count <= CommandLimits.rawRequests else {
            throw ArgumentProblem("\(requests.count) requests are more than \(CommandLimits.rawRequests)")
        }
        if let ecu, Destination.Header(ecu) == nil {
            throw ArgumentProblem(
                "--ecu: \(JSON.string(ecu).text) is no address",
                next: "3, 6 or 8 hexadecimal digits, such as 7E0 or 18DA10F1"
            )
        }
        for request in requests {
            guard let bytes = [UInt8](hexadecimal: request), 1...RawRequest.limit ~= bytes.count else {
                throw ArgumentProblem(
                    "\(JSON.string(request).text) is no request",
                    next: "1 to \(RawRequest.limit) bytes in hexadecimal digits, such as 22F190"
                )
            }
            do { _ = try RawRequest(payload: bytes, to: nil) } catch {
                throw ArgumentProblem("\(request): \(error)")
            }
        }
        if let hold { try ArgumentProblem.check(hold, in: CommandLimits.holds, "--hold") }
    }
}
