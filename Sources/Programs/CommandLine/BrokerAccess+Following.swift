// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import MQTT
package import Subscriber
import UnixSignals

extension BrokerAccess {
    /// Follows topics until their deadline, or until SIGINT or SIGTERM, which is no error.
    package func follow(_ following: Following, _ body: (Message) throws -> Void) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let outcome = try await self.run(following, until: { for await _ in signals { return } }) { progress in
            switch progress {
            case .message(let message):
                try body(message)
                try StandardOutput.check()
            case .connectionLost(let error): Output.note("\(error); reconnecting")
            case .subscribed: break
            }
        }
        if case .forbidden(let filter) = outcome { throw Self.forbidden(filter.description) }
    }
}
