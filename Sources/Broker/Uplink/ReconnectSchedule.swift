// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT

/// The waits between connections to the broker.
struct ReconnectSchedule: Sendable {
    private var backoff = Backoff(first: .seconds(1), limit: .seconds(60))
    private var refusalBackoff = Backoff(first: .seconds(120), limit: .seconds(900))
    private var rivals = RivalWatch()

    /// The sign of another client with the same client id; nil without one.
    var rival: RivalWatch.Sign? { self.rivals.sign }

    /// Returns the wait after a connection that has ended, or was not made.
    ///
    /// - Parameters:
    ///   - lifetime: the time from the broker's acceptance to the end; nil if the broker did not accept it.
    ///   - version: the version of the connection.
    mutating func wait(after failure: MQTTError, lifetime: Duration?, version: ProtocolVersion) -> Duration {
        let rivalWait = self.rivals.wait(after: failure, lifetime: lifetime, version: version)
        guard lifetime != nil else {
            return failure.needsHuman ? RivalWatch.slowWait + self.refusalBackoff.next() : self.backoff.next()
        }
        self.backoff.reset()
        self.refusalBackoff.reset()
        return rivalWait ?? self.backoff.next()
    }
}
