// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ELM327
package import OBD2

/// The engine speed in the answers of a vehicle.
package enum EngineSpeed {
    package static let pid: PID = 0x0C

    /// Returns the highest engine speed of all ECUs, in revolutions per minute; nil if none reports a valid one.
    ///
    /// - Parameter dialect: the dialect of the answers.
    package static func highest(in outcome: BusOutcome, _ dialect: Dialect) -> Double? {
        guard case .answered(let answers) = outcome, let parameter = Parameter.withPID(Self.pid) else { return nil }
        let request = Request.currentData(Self.pid)
        return answers.values.compactMap { answer -> Double? in
            guard case .positive(let messages) = answer,
                let classic = try? messages.map({ try dialect.j1979Reply(from: $0, to: request) }),
                let reply = try? Reply(messages: classic, to: request), !parameter.isSentinel(reply.data),
                case .number(let speed) = try? parameter.decode(reply.data).first?.value
            else { return nil }
            return speed
        }
        .max()
    }
}
