// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT
import Testing

@Suite("Falling back to MQTT 3.1.1")
struct VersionFallbackTests {
    @Test("A broker that says so gets 3.1.1 at once, and from then on")
    func refused() {
        var fallback = VersionFallback()
        #expect(fallback.version == .v5)
        fallback.ended(.refused(.unsupportedVersion))
        #expect(fallback.version == .v311)
        fallback.connected()
        fallback.ended(.connectionLost("x"))
        #expect(fallback.version == .v311)
    }

    @Test("A broker that closes without an answer gets 3.1.1 after the second time, and for one connection")
    func unanswered() {
        var fallback = VersionFallback()
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v311)
        fallback.connected()
        fallback.ended(.connectionLost("x"))
        #expect(fallback.version == .v5)
    }

    @Test("A broker whose CONNACK breaks MQTT 5 gets 3.1.1 after the second time")
    func malformed() {
        var fallback = VersionFallback()
        fallback.ended(.malformed("x"))
        #expect(fallback.version == .v5)
        fallback.ended(.malformed("x"))
        #expect(fallback.version == .v311)
    }

    @Test("A connection that was made in between starts the count again")
    func between() {
        var fallback = VersionFallback()
        fallback.ended(.closedUnanswered("x"))
        fallback.connected()
        fallback.ended(.connectionLost("x"))
        fallback.ended(.closedUnanswered("x"))
        #expect(fallback.version == .v5)
    }

    @Test(
        "Nothing else is a reason",
        arguments: [
            MQTTError.cannotConnect(host: "h", port: 1, reason: "x"), .tls("x"), .refused(.badCredentials),
            .refused(.serverBusy), .connectionLost("x"), .closed, .closedByBroker(code: 0x8B, reason: "x"),
        ]
    )
    func other(error: MQTTError) {
        var fallback = VersionFallback()
        for _ in 0..<3 { fallback.ended(error) }
        #expect(fallback.version == .v5)
    }

    @Test("A broker that refuses 3.1.1 as well is asked for 5 again")
    func refusesBoth() {
        var fallback = VersionFallback()
        fallback.ended(.refused(.unsupportedVersion))
        fallback.ended(.refused(.unsupportedVersion))
        #expect(fallback.version == .v5)
    }

    @Test("Wrong credentials need a human, a busy broker does not")
    func human() {
        #expect(MQTTError.refused(.badCredentials).needsHuman)
        #expect(MQTTError.refused(.notAuthorised).needsHuman)
        #expect(!MQTTError.refused(.serverBusy).needsHuman)
        #expect(!MQTTError.tls("certificate is not yet valid").needsHuman)
        #expect(MQTTError.refused(.badCredentials).description.contains("password"))
    }
}
