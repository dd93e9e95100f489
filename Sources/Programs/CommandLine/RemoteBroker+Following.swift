// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT
package import Base
package import Subscriber
import UnixSignals

extension RemoteBroker {
    /// Follows topics until their time is up, or until SIGINT or SIGTERM, which is an end in good order.
    package func follow(_ following: Following, _ body: (Message) throws -> Void) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let outcome = try await self.run(following, until: { for await _ in signals { return } }) { news in
            switch news {
            case .message(let message): try body(message)
            case .connectionLost(let error): Output.note("\(error); trying again")
            case .subscribed: break
            }
        }
        if case .forbidden(let filter) = outcome { throw Self.forbidden(filter.description) }
    }
}
