// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Which version of MQTT the next connection shall speak: 5 where possible, 3.1.1 with brokers that know no better.
///
/// Old brokers answer a CONNECT of MQTT 5 with return code 1, or just close the connection (MQTT 3.1.1, section
/// 3.1.2.2). The first is an answer. The second may have been a passing fault as well: it has to come twice in a row,
/// and 3.1.1 is then used for one connection only. A CONNACK that MQTT 5 does not allow
/// counts as the second.
package struct VersionFallback: Sendable {
    /// What to put in the next connection's options.
    package private(set) var version = ProtocolVersion.v5
    private var isCertain = false
    private var unanswered = 0

    package init() {}

    /// A connection of the present ``version`` got its CONNACK.
    package mutating func connected() {
        self.unanswered = 0
    }

    /// A connection of the present ``version`` has ended.
    package mutating func ended(_ error: MQTTError) {
        switch (self.version, error) {
        case (.v5, .refused(.unsupportedVersion)):
            self.version = .v311
            self.isCertain = true
        case (.v5, .closedUnanswered), (.v5, .malformed):
            self.unanswered += 1
            if self.unanswered == 2 {
                self.version = .v311
                self.unanswered = 0
            }
        case (.v311, .refused(.unsupportedVersion)):
            self = VersionFallback()
        case (.v311, _) where !self.isCertain:
            self.version = .v5
        default:
            break
        }
    }
}
