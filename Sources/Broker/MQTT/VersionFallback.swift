// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Chooses the MQTT version of the next connection: 5 if possible, and 3.1.1 for brokers that do not support 5.
///
/// An old broker answers a CONNECT of MQTT 5 with return code 1, or closes the connection (MQTT 3.1.1, section
/// 3.1.2.2). Return code 1 is definite, so 3.1.1 is used from then on. A broker that is being restarted, or is behind a
/// proxy, closes connections as well. Therefore a version is doubted only after two such connections in a row, and a
/// broker that then accepts 3.1.1 is asked for 5 once more: without MQTT 5 there are no response topics and no expiry,
/// perhaps for weeks. A CONNACK that MQTT 5 does not allow counts as a closed connection.
package struct VersionFallback: Sendable {
    private enum State {
        /// MQTT 5, and the number of connections in a row that were closed without an answer.
        case current(unanswered: Int)
        /// MQTT 3.1.1, to see whether the broker accepts that.
        case doubted
        /// MQTT 5 once more, because the broker has accepted 3.1.1.
        case verifying
        /// MQTT 3.1.1.
        case old
    }

    private var state = State.current(unanswered: 0)

    package init() {}

    /// The version for the options of the next connection.
    package var version: ProtocolVersion {
        switch self.state {
        case .current, .verifying: .v5
        case .doubted, .old: .v311
        }
    }

    /// Notes that the broker accepted a connection with the current ``version``.
    ///
    /// - Returns: false if the connection is to be closed and another one made at once, with the version that is right.
    package mutating func connected() -> Bool {
        switch self.state {
        case .current, .verifying: self.state = .current(unanswered: 0)
        case .doubted:
            self.state = .verifying
            return false
        case .old: break
        }
        return true
    }

    /// Notes that a connection with the current ``version`` ended.
    package mutating func ended(_ error: MQTTError) {
        switch (self.state, error) {
        case (.current, .refused(.unsupportedVersion)), (.verifying, .refused(.unsupportedVersion)): self.state = .old
        case (.verifying, .closedUnanswered), (.verifying, .malformed): self.state = .old
        case (.current(let count), .closedUnanswered), (.current(let count), .malformed):
            self.state = count == 0 ? .current(unanswered: 1) : .doubted
        case (.doubted, _), (.old, .refused(.unsupportedVersion)), (.old, .closedUnanswered):
            self.state = .current(unanswered: 0)
        case (.current, _), (.verifying, _), (.old, _): break
        }
    }
}
