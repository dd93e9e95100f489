// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Chooses the MQTT version of the next connection: 5 if possible, and 3.1.1 for brokers that do not support 5.
///
/// An old broker answers a CONNECT of MQTT 5 with return code 1, or closes the connection (MQTT 3.1.1, section
/// 3.1.2.2). Return code 1 is definite, so 3.1.1 is used from then on. A closed connection may be a transient fault: it
/// must happen twice in a row, and then 3.1.1 is used for one connection only. A CONNACK that MQTT 5 does not allow
/// counts as a closed connection.
package struct VersionFallback: Sendable {
    /// The version for the options of the next connection.
    package private(set) var version = ProtocolVersion.v5
    private var isDefinite = false
    private var unansweredAttempts = 0

    package init() {}

    /// Notes that a connection with the current ``version`` received its CONNACK.
    package mutating func connected() {
        self.unansweredAttempts = 0
    }

    /// Notes that a connection with the current ``version`` ended.
    package mutating func ended(_ error: MQTTError) {
        switch (self.version, error) {
        case (.v5, .refused(.unsupportedVersion)):
            self.version = .v311
            self.isDefinite = true
        case (.v5, .closedUnanswered), (.v5, .malformed):
            self.unansweredAttempts += 1
            if self.unansweredAttempts == 2 {
                self.version = .v311
                self.unansweredAttempts = 0
            }
        case (.v311, .refused(.unsupportedVersion)):
            self = VersionFallback()
        case (.v311, _) where !self.isDefinite:
            self.version = .v5
        default:
            break
        }
    }
}
