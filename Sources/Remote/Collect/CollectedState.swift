// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The newest payload of a retained topic.
package struct CollectedState: Hashable, Sendable {
    package var vehicle: String
    /// The topic after the vehicle's level, such as `status`.
    package var topic: String
    /// The time in the payload; nil if it has none.
    package var time: Timestamp?
    /// A JSON text in UTF-8 without NUL; empty if the topic was emptied, so that the row is deleted.
    ///
    /// The payload of `availability` is a JSON string: `"online"`.
    package var body: [UInt8]
    /// The date at which the message was received.
    package var receivedAt: Timestamp

    package init(vehicle: String, topic: String, time: Timestamp?, body: [UInt8], receivedAt: Timestamp) {
        self.vehicle = vehicle
        self.topic = topic
        self.time = time
        self.body = body
        self.receivedAt = receivedAt
    }
}
